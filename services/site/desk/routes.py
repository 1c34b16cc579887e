"""The addresses of the desks, and the role that each needs: one row for each page."""

from typing import Final

from services.site.desk.at_desk import DESK_PATH
from services.site.desk.keys.key_pages import keys_page, make_key, revoke_key
from services.site.desk.members.changed_here import acts_page
from services.site.desk.members.leaving import leave, leave_page
from services.site.desk.members.listed import (
    give_member_role,
    invite,
    members_page,
    remove,
    withdraw,
)
from services.site.desk.night.entering import (
    begin_night,
    drop_night,
    hold_typed,
    open_night,
    type_night,
)
from services.site.desk.night.live import type_on
from services.site.desk.night.sending_pages import look_page, send_night, sent_page
from services.site.desk.players.people_pages import (
    add_page,
    add_player,
    player_page,
    players_page,
    rename_player,
    take_off_player,
)
from services.site.desk.players.season_pages import board_page, standings_file, standings_page
from services.site.desk.profile.embedding import embedding_page
from services.site.desk.profile.saying import profile_page, save_profile
from services.site.desk.sessions.answering import answer_page, disputes_page
from services.site.desk.sessions.changing import (
    begin_correcting,
    bring_back,
    void,
    void_page,
)
from services.site.desk.sessions.correcting import correction_page, send_correction
from services.site.desk.sessions.listing import sessions_page
from services.site.desk.sessions.one import session_page, sheet_csv, sheet_xlsx
from services.site.desk.sheet.mending_pages import hold_mended, mend_sheet
from services.site.desk.sheet.sheet_pages import (
    begin_sheet,
    drop_sheet,
    open_sheet,
    send_sheet,
    upload_sheet,
)
from services.site.desk.start import desk_page, own_desks
from services.site.desk.table import DeskPage, desk_route
from services.site.desk.webhooks.delivery_pages import delivery_page, send_delivery_again
from services.site.desk.webhooks.list_pages import add_webhook, webhooks_page
from services.site.desk.webhooks.one_pages import (
    change_webhook,
    remove_webhook,
    remove_webhook_page,
    send_test_event,
    send_webhook_since,
    try_webhook,
    webhook_page,
)
from shared.http.routes import Route

DESK_PAGES: Final[tuple[DeskPage, ...]] = (
    DeskPage("GET", "", desk_page, "scorer"),
    DeskPage("GET", "/night", begin_night, "scorer"),
    DeskPage("GET", "/night/{draft_id}", open_night, "scorer"),
    DeskPage("POST", "/night/{draft_id}", type_night, "scorer", unheard=hold_typed),
    DeskPage("POST", "/night/{draft_id}/live", type_on, "scorer"),
    DeskPage("POST", "/night/{draft_id}/drop", drop_night, "scorer"),
    DeskPage("GET", "/night/{draft_id}/look", look_page, "scorer"),
    DeskPage("POST", "/night/{draft_id}/send", send_night, "scorer", unheard=hold_typed),
    DeskPage("GET", "/night/{draft_id}/sent", sent_page, "scorer"),
    DeskPage("GET", "/sheet", begin_sheet, "scorer"),
    DeskPage("GET", "/sheet/{draft_id}", open_sheet, "scorer"),
    DeskPage("POST", "/sheet/{draft_id}", mend_sheet, "scorer", unheard=hold_mended),
    DeskPage("POST", "/sheet/{draft_id}/file", upload_sheet, "scorer"),
    DeskPage("POST", "/sheet/{draft_id}/drop", drop_sheet, "scorer"),
    DeskPage("POST", "/sheet/{draft_id}/send", send_sheet, "scorer", unheard=hold_typed),
    DeskPage("GET", "/sessions", sessions_page, "scorer"),
    DeskPage("GET", "/sessions/disputes", disputes_page, "scorer"),
    DeskPage("GET", "/sessions/{session_id}", session_page, "scorer"),
    DeskPage("GET", "/sessions/{session_id}/sheet.csv", sheet_csv, "scorer"),
    DeskPage("GET", "/sessions/{session_id}/sheet.xlsx", sheet_xlsx, "scorer"),
    DeskPage("GET", "/sessions/{session_id}/void", void_page, "scorer"),
    DeskPage("POST", "/sessions/{session_id}/void", void, "scorer"),
    DeskPage("POST", "/sessions/{session_id}/bring-back", bring_back, "scorer"),
    DeskPage("POST", "/sessions/{session_id}/correct", begin_correcting, "scorer"),
    DeskPage("POST", "/sessions/{session_id}/disputes/{number}", answer_page, "scorer"),
    DeskPage("GET", "/sessions/{session_id}/correction/{draft_id}", correction_page, "scorer"),
    DeskPage("POST", "/sessions/{session_id}/correction/{draft_id}", send_correction, "scorer"),
    DeskPage("GET", "/members", members_page, "owner"),
    DeskPage("POST", "/members/invite", invite, "owner"),
    DeskPage("POST", "/members/withdraw", withdraw, "owner"),
    DeskPage("POST", "/members/role", give_member_role, "owner"),
    DeskPage("POST", "/members/remove", remove, "owner"),
    DeskPage("GET", "/leave", leave_page, "scorer"),
    DeskPage("POST", "/leave", leave, "scorer"),
    DeskPage("GET", "/acts", acts_page, "owner"),
    DeskPage("GET", "/players", players_page, "scorer"),
    DeskPage("GET", "/players/add", add_page, "scorer"),
    DeskPage("POST", "/players/add", add_player, "scorer"),
    DeskPage("GET", "/players/{entry}", player_page, "scorer"),
    DeskPage("POST", "/players/{entry}/rename", rename_player, "scorer"),
    DeskPage("POST", "/players/{entry}/take-off", take_off_player, "scorer"),
    DeskPage("GET", "/standings", standings_page, "scorer"),
    DeskPage("GET", "/standings/season.csv", standings_file, "scorer"),
    DeskPage("GET", "/board", board_page, "scorer"),
    DeskPage("GET", "/embed", embedding_page, "scorer"),
    DeskPage("GET", "/keys", keys_page, "owner"),
    DeskPage("POST", "/keys", make_key, "owner"),
    DeskPage("POST", "/keys/revoke", revoke_key, "owner"),
    DeskPage("GET", "/webhooks", webhooks_page, "owner"),
    DeskPage("POST", "/webhooks", add_webhook, "owner"),
    DeskPage("GET", "/webhooks/{endpoint_id}", webhook_page, "owner"),
    DeskPage("POST", "/webhooks/{endpoint_id}/change", change_webhook, "owner"),
    DeskPage("POST", "/webhooks/{endpoint_id}/try", try_webhook, "owner"),
    DeskPage("POST", "/webhooks/{endpoint_id}/test", send_test_event, "owner"),
    DeskPage("POST", "/webhooks/{endpoint_id}/since", send_webhook_since, "owner"),
    DeskPage("GET", "/webhooks/{endpoint_id}/remove", remove_webhook_page, "owner"),
    DeskPage("POST", "/webhooks/{endpoint_id}/remove", remove_webhook, "owner"),
    DeskPage("GET", "/webhooks/{endpoint_id}/events/{number}", delivery_page, "owner"),
    DeskPage("POST", "/webhooks/{endpoint_id}/events/{number}/again", send_delivery_again, "owner"),
    DeskPage("GET", "/profile", profile_page, "owner"),
    DeskPage("POST", "/profile", save_profile, "owner"),
)

DESK_ROUTES: Final[tuple[Route, ...]] = (
    Route("GET", DESK_PATH, own_desks, ignores_unknown=True),
    *map(desk_route, DESK_PAGES),
)
