"""Makes one of two players, or two of one again: what would move is shown before it happens."""

from fastapi import Request
from starlette.responses import Response

from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.staff.at_staff import AtStaff
from services.site.staff.changes import RecordMoved
from services.site.staff.record.finding_players import PATH, TAB
from services.site.staff.record.shown_before import as_of, asked_again, newer_than
from shared.http.browser.forms import read_form
from shared.http.player_ids import read_id
from shared.ids import MistypedPlayerIdError, read_player_id


async def merge_page(request: Request, at: AtStaff) -> Response:
    """Ask whom a player really is, or show what that merge would do."""
    player_id = read_id(request.path_params["player_id"])
    typed = request.query_params.get("into", "")[:100]
    here = f"{PATH}/{player_id}/merge"
    wrong, look = "", None
    if typed.strip():
        try:
            into = read_player_id(typed)
        except MistypedPlayerIdError as error:
            wrong = str(error)
        else:
            look = await at.room.merges.look(player_id, into, newer_than=newer_than(request))
            here = f"{here}?into={into}"
    return at.page(
        "staff/record/merge.html",
        title=_("Merge {}").format(player_id),
        tab=TAB,
        status=422 if wrong else 200,
        player=await at.room.players.one(player_id),
        look=look,
        moves=look.moves if look else None,
        typed=typed,
        wrong=wrong,
        here=here,
        has_moved=request.query_params.get("moved") == "yes",
    )


async def merge(request: Request, at: AtStaff) -> Response:
    """Merge two players, if the record stands as it was shown."""
    player_id = read_id(request.path_params["player_id"])
    form = await read_form(request)
    into = read_id(form.get("into", ""))
    try:
        await at.room.merges.merge(at.login, player_id, into, as_of=as_of(form))
    except RecordMoved:
        return asked_again(f"{PATH}/{player_id}/merge", {"into": into}, form)
    return lead_to(f"{PATH}/{into}?done=merged")


async def unmerge_page(request: Request, at: AtStaff) -> Response:
    """Show what undoing a merge would do."""
    player_id = read_id(request.path_params["player_id"])
    look = await at.room.merges.look_at_end(player_id, newer_than=newer_than(request))
    return at.page(
        "staff/record/unmerge.html",
        title=_("Undo the merge of {}").format(player_id),
        tab=TAB,
        look=look,
        moves=look.moves,
        here=f"{PATH}/{player_id}/unmerge",
        has_moved=request.query_params.get("moved") == "yes",
    )


async def unmerge(request: Request, at: AtStaff) -> Response:
    """Undo a merge, if the record stands as it was shown."""
    player_id = read_id(request.path_params["player_id"])
    form = await read_form(request)
    into = read_id(form.get("into", ""))
    try:
        await at.room.merges.end(at.login, player_id, into, as_of=as_of(form))
    except RecordMoved:
        return asked_again(f"{PATH}/{player_id}/unmerge", {}, form)
    return lead_to(f"{PATH}/{player_id}?done=unmerged")
