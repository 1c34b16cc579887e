"""The pages on which people pay, cancel and show a document, as plain as can be."""

from collections.abc import Callable, Sequence
from html import escape

from tests.verification.stripe.account.holdings import Check, Checkout, Portal
from tests.verification.stripe.account.people import People
from tests.verification.stripe.account.state import Account, Unknown, got
from tests.verification.stripe.over_http.serving import Request, Response

PAY, DECLINE = "Pay $20.00", "Decline the card"
CANCEL, RENEW = "Cancel subscription", "Renew after all"
PASS, FAIL = "Pass the check", "Fail the check: selfie does not match"
LEAVE = "Leave it in processing"


def page(account: Account, request: Request) -> Response:
    """Show a page, or do what was pressed on it."""
    kind, _, object_id = request.path.removeprefix("/").partition("/")
    try:
        if kind == "pay":
            return _pay(account, got(account.checkouts, object_id), request)
        if kind == "portal":
            return _portal(account, got(account.portals, object_id), request)
        if kind == "check":
            return _check(account, got(account.checks, object_id), request)
    except Unknown:
        pass
    return _html("Not found", ["This page is not here."], status=404)


def _pay(account: Account, checkout: Checkout, request: Request) -> Response:
    pressed = request.form.get("pressed")
    if checkout.state != "open":
        return _html("Payment", ["This page is closed."], back=checkout.cancel_url)
    if pressed == PAY:
        People(account).pay(checkout.id)
        return _go(checkout.success_url.replace("{CHECKOUT_SESSION_ID}", checkout.id))
    told = ["One year of being Verified."]
    if pressed == DECLINE:
        People(account).decline(checkout.id)
        told.append("Your card was declined.")
    return _html("Payment", told, buttons=[PAY, DECLINE], back=checkout.cancel_url)


def _portal(account: Account, portal: Portal, request: Request) -> Response:
    pressed = request.form.get("pressed")
    running = [
        each for each in account.subscriptions_of(portal.customer_id) if each.status != "canceled"
    ]
    for each in running:
        if pressed == CANCEL:
            People(account).cancel_at_period_end(each.id)
        if pressed == RENEW:
            People(account).renew_after_all(each.id)
    told = [f"Your year ends on {each.period_end.date().isoformat()}." for each in running]
    receipts = [
        f"{each.paid_at.date().isoformat()}: ${each.amount_cents / 100:.2f}"
        for each in account.invoices_of(portal.customer_id)
        if each.paid_at is not None
    ]
    buttons = {RENEW if each.cancel_at_period_end else CANCEL for each in running}
    return _html(
        "Your subscription", told, items=receipts, buttons=sorted(buttons), back=portal.return_url
    )


def _check(account: Account, check: Check, request: Request) -> Response:
    people = People(account)
    acts: dict[str, Callable[[str], None]] = {
        PASS: people.pass_check,
        FAIL: people.fail_check,
        LEAVE: people.begin_processing,
    }
    if check.state != "requires_input":
        return _html("Identity check", ["This page is closed."], back=check.return_url)
    act = acts.get(request.form.get("pressed", ""))
    if act is not None:
        act(check.id)
        return _go(check.return_url)
    told = ["Hold your document into the camera."]
    return _html("Identity check", told, buttons=list(acts), back=check.return_url)


def _html(
    title: str,
    told: Sequence[str],
    *,
    items: Sequence[str] = (),
    buttons: Sequence[str] = (),
    back: str | None = None,
    status: int = 200,
) -> Response:
    paragraphs = "".join(f"<p>{escape(each)}</p>" for each in told)
    receipts = "".join(f"<li>{escape(each)}</li>" for each in items)
    form = "".join(
        f'<button name="pressed" value="{escape(each)}">{escape(each)}</button>' for each in buttons
    )
    link = "" if back is None else f'<p><a href="{escape(back)}">Back</a></p>'
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"></head>'
        f"<body><main><h1>{title}</h1>{paragraphs}<ul>{receipts}</ul>"
        f'<form method="post">{form}</form>{link}</main></body></html>'
    )
    return Response(status, text.encode(), {"Content-Type": "text/html; charset=utf-8"})


def _go(address: str) -> Response:
    return Response(303, headers={"Location": address})
