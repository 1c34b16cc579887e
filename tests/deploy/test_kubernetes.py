"""The manifests fit the schemas of Kubernetes, each other, and the rules of single writers."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.settings import Settings
from tests.deploy.conftest import KUBERNETES, NOT_APPLIED, documents, named
from tests.deploy.tools import DEPLOY, check, need

Manifests = list[dict[str, Any]]
ONE = {"relay", "rater", "projections"}
MANY = {"ingest", "read", "site", "proxy"}
# Any number, but nobody calls them.
UNCALLED = {"mail", "webhooks", "verification"}
MAILING = {f"mahjic-{name}" for name in ("ingest", "site", *UNCALLED)}
ASKING_STRIPE = {"mahjic-ingest", "mahjic-site", "mahjic-verification"}
COMMANDS = {
    "mahjic-init": ["kafka", "init"],
    "mahjic-mail": ["mail", "send"],
    "mahjic-webhooks": ["webhooks", "send"],
    "mahjic-verification": ["verification", "work"],
}
TRANSPARENCY = KUBERNETES / "transparency"
# The oldest that anybody still keeps, and the newest that the schemas know.
VERSIONS = ("1.34.0", "1.37.0")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_fits_its_schema(version: str) -> None:
    validate = need("kubernetes-validate", "none, but it is among the dev dependencies")
    files = [str(file) for file in KUBERNETES.glob("*.yaml") if file.name != "kustomization.yaml"]
    assert len(files) > 10
    check([validate, "--strict", "--kubernetes-version", version, *files])


@pytest.mark.parametrize("version", VERSIONS)
def test_what_public_logs_add_fits_its_schema(version: str) -> None:
    validate = need("kubernetes-validate", "none, but it is among the dev dependencies")
    files = [str(TRANSPARENCY / name) for name in ("transparency.yaml", "init.example.yaml")]
    check([validate, "--strict", "--kubernetes-version", version, *files])


def test_who_keeps_public_logs_is_alone_and_the_others_only_read_them() -> None:
    claim, deployment = documents(TRANSPARENCY / "transparency.yaml")
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    spec = deployment["spec"]
    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})
    assert container_of(pod_of(deployment))["args"] == ["transparency", "follow"]
    (component,) = documents(TRANSPARENCY / "kustomization.yaml")
    for patch in component["patches"]:
        for step in yaml.safe_load(patch["patch"]):
            if step["path"].endswith("volumeMounts/-"):
                assert step["value"]["readOnly"] is True
    (init,) = documents(TRANSPARENCY / "init.example.yaml")
    assert init["spec"]["backoffLimit"] == 0


def test_kustomize_adds_public_logs(tmp_path: Path) -> None:
    kubectl = need_kubectl()
    overlay = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [os.path.relpath(KUBERNETES, tmp_path)],
        "components": [os.path.relpath(TRANSPARENCY, tmp_path)],
    }
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(overlay))
    made = list(yaml.safe_load_all(check([kubectl, "kustomize", str(tmp_path)])))
    settings = named(made, "ConfigMap")["mahjic-settings"]["data"]
    assert settings["MAHJIC_TRANSPARENCY"] == "/var/lib/mahjic/transparency"
    for name in ("mahjic-read", "mahjic-site"):
        pod = pod_of(named(made, "Deployment")[name])
        assert {"claimName": "mahjic-transparency"} in [
            each.get("persistentVolumeClaim") for each in pod["volumes"]
        ]


def test_the_kustomization_names_every_file() -> None:
    (kustomization,) = documents(KUBERNETES / "kustomization.yaml")
    files = {file.name for file in KUBERNETES.glob("*.yaml")} - NOT_APPLIED
    assert set(kustomization["resources"]) == files | {"../nginx"}
    (proxy,) = documents(DEPLOY / "nginx" / "kustomization.yaml")
    for file in proxy["configMapGenerator"][0]["files"]:
        assert (DEPLOY / "nginx" / file).is_file()


def test_kustomize_puts_it_together() -> None:
    kubectl = need_kubectl()
    made = list(yaml.safe_load_all(check([kubectl, "kustomize", str(KUBERNETES)])))
    spaces = {each["metadata"].get("namespace") for each in made if each["kind"] != "Namespace"}
    assert spaces == {"mahjic"}
    (generated,) = [name for name in named(made, "ConfigMap") if name.startswith("mahjic-proxy-")]
    volumes = pod_of(named(made, "Deployment")["mahjic-proxy"])["volumes"]
    assert {"name": "files", "configMap": {"name": generated}} in volumes
    assert set(named(made, "ConfigMap")[generated]["data"]) == {"nginx.conf", "addresses.conf"}


def need_kubectl() -> str:
    """Return kubectl if there is one; it can't be required, for Debian's is too old to do this."""
    try:
        return need("kubectl", "none that is new enough")
    except pytest.fail.Exception as missing:
        pytest.skip(str(missing))


def test_there_is_one_of_each_single_writer_and_it_ends_before_the_next_begins(
    manifests: Manifests,
) -> None:
    deployments = named(manifests, "Deployment")
    assert set(deployments) == {f"mahjic-{name}" for name in ONE | MANY | UNCALLED}
    for name in ONE:
        spec = deployments[f"mahjic-{name}"]["spec"]
        assert spec["replicas"] == 1, name
        assert spec["strategy"] == {"type": "Recreate"}, name
        # It would only keep a node from being emptied.
        assert f"mahjic-{name}" not in named(manifests, "PodDisruptionBudget")


def test_there_are_several_of_the_others_and_never_none(manifests: Manifests) -> None:
    for name in MANY:
        spec = named(manifests, "Deployment")[f"mahjic-{name}"]["spec"]
        assert spec["replicas"] >= 2, name
        assert spec["strategy"]["rollingUpdate"]["maxUnavailable"] == 0, name
        budget = named(manifests, "PodDisruptionBudget")[f"mahjic-{name}"]["spec"]
        assert budget["minAvailable"] == 1
        assert budget["selector"] == spec["selector"]
        service = named(manifests, "Service")[f"mahjic-{name}"]["spec"]
        assert service["selector"] == spec["selector"]["matchLabels"]
        ports = {port["name"] for port in container_of(pod_of_spec(spec))["ports"]}
        assert {port["targetPort"] for port in service["ports"]} <= ports


def test_every_deployment_selects_its_own_pods(manifests: Manifests) -> None:
    for name, each in named(manifests, "Deployment").items():
        labels = each["spec"]["template"]["metadata"]["labels"]
        assert each["spec"]["selector"]["matchLabels"] == labels, name
        assert labels["app.kubernetes.io/component"] == name.removeprefix("mahjic-")


def test_no_pod_is_root_or_writes_to_its_image_or_talks_to_the_cluster(
    manifests: Manifests,
) -> None:
    pods = dict(all_pods(manifests))
    assert len(pods) == 11
    for name, pod in pods.items():
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert pod["automountServiceAccountToken"] is False, name
        # Else the Services would be variables that begin like our settings.
        assert pod["enableServiceLinks"] is False, name
        container = container_of(pod)
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, name
        assert container["resources"]["requests"]["cpu"], name
        assert container["resources"]["limits"]["memory"], name


def test_a_pod_is_alive_by_itself_and_ready_with_its_servers(manifests: Manifests) -> None:
    for name, each in named(manifests, "Deployment").items():
        container = container_of(pod_of(each))
        is_proxy = name == "mahjic-proxy"
        assert path_of(container["startupProbe"]) == "/healthz", name
        assert path_of(container["livenessProbe"]) == "/healthz", name
        assert path_of(container["readinessProbe"]) == ("/healthz" if is_proxy else "/readyz"), name


def test_a_stop_gives_more_time_than_the_pause_and_the_answers_need(manifests: Manifests) -> None:
    for name, each in named(manifests, "Deployment").items():
        pod = pod_of(each)
        hook = container_of(pod).get("lifecycle", {}).get("preStop", {"sleep": {"seconds": 0}})
        needed = hook["sleep"]["seconds"] + Settings.model_fields["grace_s"].default
        assert pod["terminationGracePeriodSeconds"] > needed, name
        # Whoever is reached through a Service is still sent requests for a moment.
        assert (hook["sleep"]["seconds"] > 0) == (name.removeprefix("mahjic-") in MANY), name


def test_the_rater_is_named_after_its_pod(manifests: Manifests) -> None:
    by_name = {each["name"]: each for each in container_of(rater_pod(manifests))["env"]}
    place = by_name["MAHJIC_INSTANCE"]["valueFrom"]["fieldRef"]["fieldPath"]
    assert place == "metadata.name"


def rater_pod(manifests: Manifests) -> dict[str, Any]:
    return pod_of(named(manifests, "Deployment")["mahjic-rater"])


def test_the_folder_of_the_rater_is_in_a_volume_of_its_pod(manifests: Manifests) -> None:
    pod = rater_pod(manifests)
    by_name = {each["name"]: each for each in container_of(pod)["env"]}
    (mount,) = [each for each in container_of(pod)["volumeMounts"] if each["name"] == "rater"]
    folder = by_name["MAHJIC_RATER_FOLDER"]["value"]
    assert folder.startswith(f"{mount['mountPath']}/")
    assert {"name": "rater", "emptyDir": {}} in pod["volumes"]


def test_the_settings_of_the_pods_hold(
    manifests: Manifests, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = named(documents(KUBERNETES / "secrets.example.yaml"), "Secret")
    for variable, value in named(manifests, "ConfigMap")["mahjic-settings"]["data"].items():
        monkeypatch.setenv(variable, value)
    asking = named(manifests, "Deployment")["mahjic-verification"]
    pods = (rater_pod(manifests), pod_of(asking))
    for each in (given for pod in pods for given in container_of(pod)["env"]):
        source = each.get("valueFrom", {})
        if "value" in each:
            monkeypatch.setenv(each["name"], each["value"])
        elif "secretKeyRef" in source:
            secret = source["secretKeyRef"]
            value = secrets[secret["name"]]["stringData"][secret["key"]]
            monkeypatch.setenv(each["name"], value)
    settings = Settings()
    assert settings.kafka_security == "SASL_SSL"
    assert settings.kafka_replication == 3
    assert settings.mail_from is not None
    assert settings.stripe_key is not None
    assert settings.identity_hash_key is not None
    assert settings.database_url is not None
    authorities = re.findall(
        r"/etc/mahjic/ca/([\w.]+)",
        f"{settings.kafka_ca_file} {settings.database_url.get_secret_value()}",
    )
    assert set(authorities) == set(secrets["mahjic-ca"]["stringData"])


def test_every_process_gets_the_settings_the_secrets_and_the_authorities(
    manifests: Manifests,
) -> None:
    for name, pod in all_pods(manifests):
        if name == "mahjic-proxy":
            continue
        container = container_of(pod)
        assert container["envFrom"] == [{"configMapRef": {"name": "mahjic-settings"}}], name
        given = {each["name"] for each in container["env"]}
        given -= {"MAHJIC_INSTANCE", "MAHJIC_RATER_FOLDER"}
        secret = {"MAHJIC_DATABASE_URL", "MAHJIC_KAFKA_USER", "MAHJIC_KAFKA_PASSWORD"}
        if name in MAILING:
            secret |= {"MAHJIC_SMTP_URL", "MAHJIC_MAIL_FROM", "MAHJIC_ADDRESS_HASH_KEY"}
        if name in ASKING_STRIPE:
            secret |= {"MAHJIC_STRIPE_KEY", "MAHJIC_STRIPE_WEBHOOK_SECRETS"}
            secret |= {"MAHJIC_STRIPE_PRICE", "MAHJIC_IDENTITY_HASH_KEY"}
        if name == "mahjic-ingest":
            secret |= {"MAHJIC_REVIEW_URL", "MAHJIC_REVIEW_KEY", "MAHJIC_REVIEW_MODEL"}
        assert given == secret, name
        mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
        own = {"/var/lib/mahjic"} if name == "mahjic-rater" else set()
        assert mounts == {"/tmp", "/etc/mahjic/ca"} | own, name
        assert container["args"] == COMMANDS.get(name, [name.removeprefix("mahjic-")])


def test_the_proxy_has_the_image_of_compose_and_looks_for_services_that_exist(
    manifests: Manifests,
) -> None:
    compose = yaml.safe_load((DEPLOY.parent / "docker-compose.yml").read_text())
    image = container_of(pod_of(named(manifests, "Deployment")["mahjic-proxy"]))["image"]
    assert image == compose["services"]["proxy"]["image"]
    addresses = (DEPLOY / "nginx" / "kubernetes" / "addresses.conf").read_text()
    servers = re.findall(r"server ([\w-]+):(\d+);", addresses)
    assert len(servers) == 3
    for name, port in servers:
        offered = named(manifests, "Service")[name]["spec"]["ports"]
        assert [each["port"] for each in offered] == [int(port)]


def all_pods(manifests: Manifests) -> Iterator[tuple[str, dict[str, Any]]]:
    for each in manifests:
        if each["kind"] in {"Deployment", "Job"}:
            yield each["metadata"]["name"], pod_of(each)


def pod_of(workload: dict[str, Any]) -> dict[str, Any]:
    return pod_of_spec(workload["spec"])


def pod_of_spec(spec: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = spec["template"]["spec"]
    return pod


def container_of(pod: dict[str, Any]) -> dict[str, Any]:
    container: dict[str, Any]
    (container,) = pod["containers"]
    return container


def path_of(probe: dict[str, Any]) -> str:
    return str(probe["httpGet"]["path"])
