"""`redraft serve`: the HTTP server, for add-ons, editors and the web page."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redraft.cli.extras import needs_extra
from redraft.errors import ConfigError
from redraft.server.settings import ServerSettings
from redraft.settings.options import ModelOptions, with_options
from redraft.terminal.output import remark
from redraft.text.scripts import AUTO

if TYPE_CHECKING:
    from redraft.check.corrector import Corrector

_BACKLOG = 2048


@with_options(ModelOptions, ServerSettings, left_out=("dictionary",))
def serve(
    options: ModelOptions,
    settings: ServerSettings,
    install: Annotated[
        bool, typer.Option("--install", help="Install a service of the user that runs this command at each login.")
    ] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Stop that service and remove it.")] = False,
) -> None:
    """Serve Redraft's API, LanguageTool's API and a web page.

    Clients of LanguageTool use /v2. Texts are corrected in memory, and neither stored nor logged.
    """
    if install or uninstall:
        _change_service(settings, install, uninstall)
        return
    with needs_extra("a server", "server"):
        from redraft.server.allocator import return_free_memory
        from redraft.server.app import create_app
        from redraft.server.http_server import run
    from redraft.check.user_rules import UserRulesStore
    from redraft.model.catalogue import locate
    from redraft.model.folder import ModelFolder

    listening = _listen(settings)
    return_free_memory()
    with listening:
        corrector = options.open()
        # An shipped model is named after its language.
        named = None if options.model == AUTO else options.model
        folder = ModelFolder.open(locate(named or corrector.info.language), verify=False)
        app = create_app(corrector, UserRulesStore.open(settings.project), settings, folder.parameters)
        remark(f"{_address(listening, settings)} serves {_name_models(corrector)}; {_reach(settings)}")
        run(app, listening, settings)


def _change_service(settings: ServerSettings, install: bool, uninstall: bool) -> None:
    from redraft.server.user_service import ServiceCommand, find_service

    if install and uninstall:
        raise ConfigError("--install and --uninstall cannot be combined; give one of them")
    service = find_service()
    if uninstall:
        if not service.path.exists():
            raise ConfigError(f"no service is installed: {service.path} does not exist")
        service.uninstall()
        remark(f"{service.path} was removed")
        return
    # The key is not among the arguments: other users see the arguments of a process.
    arguments = [argument for argument in sys.argv[1:] if argument != "--install"]
    if any(argument.partition("=")[0] == "--api-key" for argument in arguments):
        raise ConfigError("set the API key of a service in the variable REDRAFT_API_KEY, not with --api-key")
    script = Path(sys.executable).with_name("redraft")
    program = [str(script)] if script.exists() else [sys.executable, "-c", "from redraft.cli.main import main; main()"]
    environment = {"REDRAFT_API_KEY": settings.api_key} if settings.api_key else {}
    failure = service.install(ServiceCommand([*program, *arguments], Path.cwd(), environment))
    if failure:
        raise ConfigError(f"{service.path} was written, but the service could not be started: {failure}")
    remark(f"{service.path} was written; the service runs now and after each login")


def _name_models(corrector: Corrector) -> str:
    others = [other.language for other in corrector.others]
    return f"the model{'s' * bool(others)} {' and '.join((corrector.info.name, *others))}"


def _listen(settings: ServerSettings) -> socket.socket:
    """Binds the port before the model is loaded, so that a port in use is reported at once."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        place = f"{settings.host}:{settings.port}"
        raise ConfigError(f"cannot listen at {place}: {error.strerror}; choose another --host or --port") from None
    return listening


def _address(listening: socket.socket, settings: ServerSettings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{listening.getsockname()[1]}"


def _reach(settings: ServerSettings) -> str:
    if settings.is_local:
        return "texts stay on this machine. Stop with Ctrl-C"
    key = "with the API key" if settings.api_key else "without an API key"
    return f"reachable from the network {key}; texts stay on this machine once they are here. Stop with Ctrl-C"
