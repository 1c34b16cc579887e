"""Answers what Stripe's mock found in order from what an account holds."""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from tests.verification.stripe.account.state import Account, KeyReused, Refusal, Unknown, got
from tests.verification.stripe.over_http.objects import (
    Json,
    charge_json,
    check_json,
    checkout_json,
    customer_json,
    dispute_json,
    intent_json,
    invoice_json,
    line_json,
    payment_json,
    portal_json,
    refund_json,
    report_json,
    subscription_json,
)
from tests.verification.stripe.over_http.serving import Form, Request

Answered: TypeAlias = tuple[int, Json]
# From the account, an id, and the template: what of the template is to be replaced.
One: TypeAlias = Callable[[Account, str, Json], Json]
# From the account, what is looked for, and the template of each.
Several: TypeAlias = Callable[[Account, Form, Json], list[Json]]
# From the account, the id in the path if there is one, what was sent, and the template.
Change: TypeAlias = Callable[[Account, str, Form, Json], Json]

PAGE_RECORDS: Final = 10
_PERSONAL: Final = frozenset({"document.number", "document.dob"})


def answer(account: Account, request: Request, template: Json) -> Answered:
    """Return the status and what stands in the answer, or raise a refusal."""
    path = request.path.removeprefix("/v1/")
    if request.method != "GET":
        return 200, {**template, **_changed(account, request, path, template)}
    lines = re.fullmatch(r"invoices/(\w+)/lines", path)
    if path in LISTS or lines:
        like = template["data"][0]
        every = (
            _lines(account, lines[1], like) if lines else LISTS[path](account, request.query, like)
        )
        return 200, {**template, **_page(every, request.query, like)}
    kind, _, object_id = path.rpartition("/")
    if kind == "identity/verification_reports":
        return _report(account, object_id, request, template)
    return 200, {**template, **ONE[kind](account, object_id, template)}


def _changed(account: Account, request: Request, path: str, template: Json) -> Json:
    for pattern, change in CHANGES:
        found = re.fullmatch(pattern, f"{request.method} {path}")
        if found:
            object_id = found[1] if found.groups() else ""
            return change(account, object_id, request.form, template)
    raise AssertionError(f"Nobody asked for {request.method} {path} so far.")


def _lines(account: Account, invoice_id: str, template: Json) -> list[Json]:
    ends = reversed(got(account.invoices, invoice_id).line_ends)
    return [{**line_json(template, end), "id": f"il_{n}"} for n, end in enumerate(ends)]


def refused(refusal: Refusal) -> Answered:
    """Return how Stripe says that it does not do what was asked."""
    if isinstance(refusal, Unknown):
        return 404, error_json("invalid_request_error", refusal.code, "No such object.")
    if isinstance(refusal, KeyReused):
        return 400, error_json("idempotency_error", None, "The key was used for something else.")
    return 400, error_json("invalid_request_error", refusal.code, "It cannot be done.")


def error_json(kind: str, code: str | None, message: str) -> Json:
    """Return an error as Stripe writes it."""
    return {"error": {"type": kind, "message": message, **({"code": code} if code else {})}}


def expanded(query: Form) -> set[str]:
    """Return what is to be written out, rather than its id."""
    return {value for name, value in query.items() if name.startswith("expand[")}


def _page(every: list[Json], query: Form, template: Json) -> Json:
    """Return a page of a list, the newest first."""
    newest_first = every[::-1]
    after = query.get("starting_after")
    if after is not None:
        place = next(n for n, each in enumerate(newest_first) if each["id"] == after)
        newest_first = newest_first[place + 1 :]
    limit = int(query.get("limit", PAGE_RECORDS))
    shown = [{**template, **each} for each in newest_first[:limit]]
    return {"data": shown, "has_more": len(newest_first) > limit}


def _report(account: Account, report_id: str, request: Request, template: Json) -> Answered:
    personal = expanded(request.query) & _PERSONAL
    if personal and not request.headers["authorization"].startswith("Bearer rk_"):
        told = "Only a restricted key may read that."
        return 403, error_json("invalid_request_error", None, told)
    shown = {each.partition(".")[2] for each in personal}
    report = report_json(got(account.reports, report_id), shown)
    document = {**template["document"], **report["document"]}
    hidden = {"number", "dob"} - shown
    report["document"] = {name: value for name, value in document.items() if name not in hidden}
    return 200, {**template, **report}


def _with_charge(account: Account, charge_id: str, template: Json) -> Json:
    """Return the charge of something, written out if that was asked for."""
    if not isinstance(template["charge"], dict):
        return {"charge": charge_id}
    return {"charge": {**template["charge"], **charge_json(account, account.charges[charge_id])}}


def _payment(account: Account, payment_id: str, template: Json) -> Json:
    every = {each.payment_id: each for each in account.charges.values() if each.invoice_id}
    told = payment_json(got(every, payment_id))
    if isinstance(template["invoice"], dict):
        invoice = account.invoices[told["invoice"]]
        told["invoice"] = {
            **template["invoice"],
            **invoice_json(template["invoice"], invoice),
        }
    return told


def _intent(account: Account, intent_id: str, template: Json) -> Json:
    return intent_json(got({each.intent_id: each for each in account.charges.values()}, intent_id))


ONE: Final[Mapping[str, One]] = {
    "customers": lambda held, id_, _: customer_json(got(held.customers, id_)),
    "subscriptions": lambda held, id_, like: subscription_json(like, got(held.subscriptions, id_)),
    "invoices": lambda held, id_, like: invoice_json(like, got(held.invoices, id_)),
    "charges": lambda held, id_, _: charge_json(held, got(held.charges, id_)),
    "payment_intents": _intent,
    "invoice_payments": _payment,
    "refunds": lambda held, id_, like: {
        **refund_json(held, got(held.refunds, id_)),
        **_with_charge(held, held.refunds[id_].charge_id, like),
    },
    "disputes": lambda held, id_, like: {
        **dispute_json(got(held.disputes, id_)),
        **_with_charge(held, held.disputes[id_].charge_id, like),
    },
    "checkout/sessions": lambda held, id_, _: checkout_json(held, got(held.checkouts, id_)),
    "identity/verification_sessions": lambda held, id_, _: check_json(held, got(held.checks, id_)),
}


def _subscriptions(account: Account, query: Form, template: Json) -> list[Json]:
    every = account.subscriptions_of(got(account.customers, query["customer"]).id)
    wanted = [each for each in every if query.get("status") == "all" or each.status != "canceled"]
    return [subscription_json(template, each) for each in wanted]


def _invoices(account: Account, query: Form, template: Json) -> list[Json]:
    every = account.invoices_of(got(account.customers, query["customer"]).id)
    wanted = [each for each in every if each.status == query.get("status", each.status)]
    return [invoice_json(template, each) for each in wanted]


def _charges(account: Account, query: Form, _template: Json) -> list[Json]:
    every = account.charges_of(got(account.customers, query["customer"]).id)
    return [charge_json(account, each) for each in every]


def _payments(account: Account, query: Form, _template: Json) -> list[Json]:
    if "invoice" in query:
        every = account.charges_for(got(account.invoices, query["invoice"]).id)
    else:
        intent_id = query["payment[payment_intent]"]
        every = [each for each in account.charges.values() if each.intent_id == intent_id]
    return [payment_json(each) for each in every if each.invoice_id]


def _disputes(account: Account, query: Form, _template: Json) -> list[Json]:
    return [
        dispute_json(each) for each in account.disputes_of(got(account.charges, query["charge"]))
    ]


LISTS: Final[Mapping[str, Several]] = {
    "subscriptions": _subscriptions,
    "invoices": _invoices,
    "charges": _charges,
    "invoice_payments": _payments,
    "disputes": _disputes,
}


def _open_checkout(account: Account, _id: str, form: Form, _template: Json) -> Json:
    made = account.open_checkout(
        form["customer"],
        price=form["line_items[0][price]"],
        success_url=form["success_url"],
        cancel_url=form["cancel_url"],
    )
    return checkout_json(account, made)


def _open_portal(account: Account, _id: str, form: Form, _template: Json) -> Json:
    made = account.open_portal(form["customer"], return_url=form["return_url"])
    return portal_json(account, made)


def _begin_check(account: Account, _id: str, form: Form, _template: Json) -> Json:
    named = {name: re.fullmatch(r"metadata\[(.+)]", name) for name in form}
    metadata = {found[1]: form[name] for name, found in named.items() if found}
    return check_json(account, account.begin_check(metadata, return_url=form["return_url"]))


def _refund(account: Account, _id: str, form: Form, _template: Json) -> Json:
    amount = form.get("amount")
    cents = None if amount is None else int(amount)
    return refund_json(account, account.refund(form["payment_intent"], cents))


CHANGES: Final[list[tuple[str, Change]]] = [
    (r"POST customers", lambda held, _id, _form, _: customer_json(held.make_customer())),
    (
        r"DELETE customers/(\w+)",
        lambda held, id_, _form, _: customer_json(held.delete_customer(id_)),
    ),
    (r"POST checkout/sessions", _open_checkout),
    (r"POST billing_portal/sessions", _open_portal),
    (r"POST identity/verification_sessions", _begin_check),
    (
        r"POST identity/verification_sessions/(\w+)/cancel",
        lambda held, id_, _form, _: check_json(held, held.cancel_check(id_)),
    ),
    (
        r"POST identity/verification_sessions/(\w+)/redact",
        lambda held, id_, _form, _: check_json(held, held.redact_check(id_)),
    ),
    (r"POST refunds", _refund),
    (
        r"DELETE subscriptions/(\w+)",
        lambda held, id_, _form, like: subscription_json(like, held.cancel_subscription(id_)),
    ),
]
