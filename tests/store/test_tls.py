"""TLS to MySQL: asked for, it is used, and the certificate is checked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import quote

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from support.servers import MysqlServer, fresh_database
from support.store_rows import page
from topicspider.errors import StoreUnavailable
from topicspider.store import location
from topicspider.store.mysql import MysqlDatabase
from topicspider.store.rows import Batch
from topicspider.store.store import Store


def _make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / "cert.pem").write_bytes(certificate.public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture(scope="module")
def certificate(mysql_server: MysqlServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The certificate of the server, which is started again with and without it."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = _make_certificate(folder)
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
