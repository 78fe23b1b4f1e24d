"""Print the documentation's table: `python -m simulator.observe.counters`."""

from simulator.observe.counters.description import markdown

if __name__ == "__main__":
    print(markdown())
