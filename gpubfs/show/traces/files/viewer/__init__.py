"""The viewer of a trace: what each step shows as packed columns, and the page that reads them."""
