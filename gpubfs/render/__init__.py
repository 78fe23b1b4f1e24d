"""What everything is shown with: tables, pictures, and views, by which data find what shows them.

The ground floor: nothing here knows what is shown.
"""
