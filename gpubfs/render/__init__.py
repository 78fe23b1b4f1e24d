"""What everything is shown with: tables, pictures, and views, by which data find what shows them.

Nothing here knows what is shown.
"""
