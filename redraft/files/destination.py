"""Where corrected texts are written: to their files, or to another folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from redraft.errors import InputError
from redraft.files.text_file import InputText, real_path, replace_text, write_copy


@dataclass(frozen=True, slots=True)
class Destination:
    folder: Path
    """The innermost folder that contains all files."""
    output: Path | None = None
    """Output folder, with the same tree as `folder`; None to change the files themselves."""

    def __post_init__(self) -> None:
        if self.output and self.folder.resolve().is_relative_to(self.output.resolve()):
            raise InputError(
                f"--output {self.output} contains the files themselves; name another folder, or use --write"
            )
        if self.output and self.output.exists() and not self.output.is_dir():
            raise InputError(f"--output {self.output} is not a folder")

    def holds(self, path: Path) -> bool:
        """Whether a file is in the output folder: an earlier run wrote it, so it is not corrected."""
        return bool(self.output and real_path(path).is_relative_to(real_path(self.output)))

    def place(self, path: Path) -> Path:
        return self.output / self.name(path) if self.output else path

    def name(self, path: Path) -> str:
        """The path of a file relative to the folder."""
        place = path.absolute()
        # A path with `..` in it, or one through a link, is resolved.
        inside = place if place.is_relative_to(self.folder) and ".." not in place.parts else real_path(place)
        folder = self.folder if inside.is_relative_to(self.folder) else self.folder.resolve()
        return inside.relative_to(folder).as_posix()

    def write(self, path: Path, source: InputText, text: str) -> None:
        """Writes a corrected text: in place only if it changed, to the output folder always."""
        if self.output:
            write_copy(self.place(path), path, source, text)
        elif text != source.text:
            replace_text(path, source, text)
