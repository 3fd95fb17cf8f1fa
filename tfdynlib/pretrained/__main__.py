"""``python -m tfdynlib.pretrained``: makes the stored run anew, some minutes."""

from tfdynlib import records
from tfdynlib.pretrained import store

USUAL = records.STORED / f"{store.NAME}.json"


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    does = "Layers and heads of a trained model, anew."
    parser = records.command("pretrained", does, USUAL)
    store.write(parser.parse_args(arguments).out, store.make())


if __name__ == "__main__":
    main()
