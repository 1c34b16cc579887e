"""The addresses of the staff desk, and the role that each needs: one row for each page."""

from typing import Final

from services.site.staff import answering_players, failing_mails, keeping_sources, lag
from services.site.staff.acts import MOVED_ROUTES, acts_page
from services.site.staff.first_page import staff_page
from services.site.staff.record import (
    finding_players,
    giving_seats,
    joining_players,
    one_player,
    trying_formulas,
    voiding_many,
)
from services.site.staff.reviewing import review_list, review_page
from services.site.staff.staff_table import StaffPage, staff_route
from services.site.staff.verified import deciding_pages, money_page
from shared.http.routes import Route

STAFF_PAGES: Final[tuple[StaffPage, ...]] = (
    StaffPage("GET", "", staff_page, "reviewer"),
    StaffPage("GET", "/applications", review_list.applications_page, "reviewer"),
    StaffPage("GET", "/applications/{application_id}", review_page.application_page, "reviewer"),
    StaffPage("POST", "/applications/{application_id}/ask", review_page.ask, "reviewer"),
    StaffPage("POST", "/applications/{application_id}/decline", review_page.decline, "reviewer"),
    StaffPage(
        "POST",
        "/applications/{application_id}/approve",
        review_page.approve,
        "reviewer",
        hurts=True,
    ),
    StaffPage("GET", "/sources", keeping_sources.sources_page),
    StaffPage("GET", "/sources/{slug}", keeping_sources.source_page),
    StaffPage("POST", "/sources/{slug}", keeping_sources.change, hurts=True),
    StaffPage("POST", "/sources/{slug}/suspend", keeping_sources.suspend, hurts=True),
    StaffPage("POST", "/sources/{slug}/resume", keeping_sources.resume, hurts=True),
    StaffPage("GET", "/players", finding_players.find_page),
    StaffPage("POST", "/players/find", finding_players.find_by_address),
    StaffPage("POST", "/players/register", finding_players.register),
    StaffPage("GET", "/players/{player_id}", one_player.player_page),
    StaffPage("GET", "/players/{player_id}/do/{act}", one_player.ask_page),
    StaffPage("POST", "/players/{player_id}/do/{act}", one_player.do_act, hurts=True),
    StaffPage("GET", "/players/{player_id}/merge", joining_players.merge_page),
    StaffPage("POST", "/players/{player_id}/merge", joining_players.merge, hurts=True),
    StaffPage("GET", "/players/{player_id}/unmerge", joining_players.unmerge_page),
    StaffPage("POST", "/players/{player_id}/unmerge", joining_players.unmerge, hurts=True),
    StaffPage("GET", "/players/{player_id}/reseat", giving_seats.reseat_page),
    StaffPage("POST", "/players/{player_id}/reseat", giving_seats.reseat, hurts=True),
    StaffPage("GET", "/players/{player_id}/verified/{decision}", deciding_pages.ask_page),
    StaffPage(
        "POST", "/players/{player_id}/verified/{decision}", deciding_pages.decide, hurts=True
    ),
    StaffPage("GET", "/verified", money_page.money_page),
    StaffPage("GET", "/verified/checks/{check}", money_page.check_page),
    StaffPage("POST", "/verified/checks/{check}", money_page.let_count, hurts=True),
    StaffPage("GET", "/void", voiding_many.void_page),
    StaffPage("POST", "/void", voiding_many.void, hurts=True),
    StaffPage("GET", "/formulas", trying_formulas.formulas_page),
    StaffPage("GET", "/formulas/try", trying_formulas.try_page),
    StaffPage("POST", "/formulas/adopt", trying_formulas.adopt, hurts=True),
    StaffPage("GET", "/disputes", answering_players.disputes_page),
    StaffPage("GET", "/disputes/{number}", answering_players.dispute_page),
    StaffPage("POST", "/disputes/{number}", answering_players.answer),
    StaffPage("GET", "/mail", failing_mails.mails_page),
    StaffPage("POST", "/mail/{mail_id}/retry", failing_mails.retry),
    StaffPage("POST", "/mail/{mail_id}/drop", failing_mails.drop),
    StaffPage("GET", "/lag", lag.lag_page),
    StaffPage("GET", "/acts", acts_page, "reviewer"),
)

STAFF_ROUTES: Final[tuple[Route, ...]] = (*MOVED_ROUTES, *map(staff_route, STAFF_PAGES))
