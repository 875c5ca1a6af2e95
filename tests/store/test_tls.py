"""TLS to MySQL: asked for, it is used, and the certificate is checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from support.certificates import make_certificate
from support.servers import MysqlServer, fresh_database
from support.store_rows import page
from topicspider.errors import StoreUnavailable
from topicspider.store import location
from topicspider.store.mysql import MysqlDatabase
from topicspider.store.rows import Batch
from topicspider.store.store import Store


@pytest.fixture(scope="module")
def certificate(mysql_server: MysqlServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The certificate of the server, which is started again with and without it."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = make_certificate(folder)
    mysql_server.stop()
    mysql_server.more_arguments = [f"--ssl-cert={certificate}", f"--ssl-key={key}"]
    mysql_server.start()
    yield certificate
    mysql_server.stop()
    mysql_server.more_arguments = []
    mysql_server.start()


@pytest.mark.parametrize("choice", ["CA", "unverified", "off"])
def test_the_connection_is_encrypted_when_asked_for(mysql_server: MysqlServer, certificate: Path, choice: str) -> None:
    ssl = quote(str(certificate)) if choice == "CA" else choice
    with fresh_database(mysql_server.url) as url:
        place = location.parse(f"{url}?ssl={ssl}", Path())
        assert isinstance(place, location.MysqlPlace)
        store = Store(MysqlDatabase(place))
        store.write(Batch(pages=[page()]))
        assert store.page("tourism", "http://a.example/") == page()
        store.close()
        database = MysqlDatabase(place)
        (status,) = database.read("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
        database.close()
        assert bool(status[1]) == (choice != "off")


def test_a_certificate_that_nobody_known_signed_is_refused(mysql_server: MysqlServer, certificate: Path) -> None:
    with fresh_database(mysql_server.url) as url:
        place = location.parse(f"{url}?ssl=on", certificate)
        assert isinstance(place, location.MysqlPlace)
        with pytest.raises(StoreUnavailable, match="certificate") as caught:
            Store(MysqlDatabase(place))
    assert "\n" not in str(caught.value)
