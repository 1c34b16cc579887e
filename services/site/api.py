"""All addresses of the site."""

from typing import Final

from services.site.applying.apply import APPLY_PAGES
from services.site.applying.own import APPLICANT_PAGES
from services.site.applying.submit import SUBMIT_PAGES
from services.site.boards.board_file import BOARD_FILES
from services.site.boards.home import HOME_PAGES
from services.site.boards.leaderboard import LEADERBOARD_PAGES
from services.site.boards.sitemap import SITEMAP_ROUTES
from services.site.boards.sources import SOURCE_PAGES
from services.site.desk.members.joining import INVITATION_ROUTES
from services.site.desk.routes import DESK_ROUTES
from services.site.embeds.framed import FRAMED_PAGES
from services.site.embeds.script import EMBED_SCRIPT
from services.site.embeds.telling import EMBEDDING_PAGES
from services.site.governance.routes import GOVERNANCE_ROUTES
from services.site.kit.well_known import WELL_KNOWN_ROUTES
from services.site.login.account import ACCOUNT_ROUTES
from services.site.login.asking import ASKING_ROUTES
from services.site.login.linked import LINK_ROUTES
from services.site.login.passkey_calls import KEY_ROUTES
from services.site.mailing.invited import INVITED_PAGES
from services.site.mailing.no_more import MAILING_PAGES
from services.site.me.routes import ME_ROUTES
from services.site.players.routes import PLAYER_PAGE_ROUTES
from services.site.previews.player_pictures import PLAYER_PICTURES
from services.site.previews.routes import PREVIEW_ROUTES
from services.site.public_log.log_page import LOG_PAGES
from services.site.staff.routes import STAFF_ROUTES
from services.site.words.routes import WORDS_ROUTES
from shared.http.routes import Route

SITE_ROUTES: Final[tuple[Route, ...]] = (
    *WELL_KNOWN_ROUTES,
    # Before the board of a region, which could be called anything.
    *PREVIEW_ROUTES,
    *PLAYER_PICTURES,
    *HOME_PAGES,
    *LEADERBOARD_PAGES,
    *SOURCE_PAGES,
    *BOARD_FILES,
    *FRAMED_PAGES,
    *EMBED_SCRIPT,
    # Before the operations of any one tag.
    *EMBEDDING_PAGES,
    *PLAYER_PAGE_ROUTES,
    *MAILING_PAGES,
    *INVITED_PAGES,
    *SITEMAP_ROUTES,
    *WORDS_ROUTES,
    *LOG_PAGES,
    *GOVERNANCE_ROUTES,
    *ASKING_ROUTES,
    *LINK_ROUTES,
    *KEY_ROUTES,
    *ACCOUNT_ROUTES,
    *ME_ROUTES,
    *APPLY_PAGES,
    *APPLICANT_PAGES,
    *SUBMIT_PAGES,
    *DESK_ROUTES,
    *STAFF_ROUTES,
    *INVITATION_ROUTES,
)
