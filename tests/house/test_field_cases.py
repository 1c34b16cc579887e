"""Each case from the field that touches people is held by tests here, which are named.

The cases are faults of comparable public systems, retold with the answer that this project gives;
their numbers are those of the collection. Cases about numbers, files and logs have their number or
their story in the tests of those rooms.
"""

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

TESTS: Final = Path(__file__).parents[1]


class FieldCase(NamedTuple):
    """What went wrong elsewhere and what is right here, and the tests that hold it."""

    told: str
    held_by: Mapping[str, Sequence[str]]


CASES: Final[Mapping[int, FieldCase]] = {
    51: FieldCase(
        "Sent plainly, then as private, then plainly: a source never makes a player public "
        "against their choice.",
        {
            "ingest/people/test_choices.py": [
                "test_the_players_word_on_privacy_stands_against_every_source"
            ],
            "ingest/claim/test_people.py": [
                "test_the_private_and_the_plain_mention_are_the_same_person",
                "test_one_person_gets_one_spelling_and_private_wins",
            ],
            "ingest/players/test_groups.py": [
                "test_a_source_that_hides_one_address_hides_the_person_and_the_views_are_told"
            ],
        },
    ),
    53: FieldCase(
        "Names that look alike, turn a line around or are very long are one name, or none.",
        {
            "own_words/test_public_names.py": [
                "test_what_pretends_or_cannot_be_read_is_refused_for_what_it_is",
                "test_what_is_typed_becomes_one_form",
                "test_no_id_passes_in_any_spelling",
            ],
            "projections/test_search.py": ["test_index_and_question_are_folded_alike"],
            "ingest/claim/test_nicknames.py": ["test_a_nickname_hides_nothing"],
        },
    ),
    55: FieldCase(
        "Two who met are not merged; an id that was merged leads on; chains come apart exactly.",
        {
            "corrections/test_merge_stories.py": [
                "test_those_who_met_are_merged_only_once_that_session_is_voided",
                "test_a_chain_of_merges_is_one_player",
                "test_a_chain_is_undone_from_its_end",
                "test_a_chain_is_undone_from_its_beginning",
            ],
            "ingest/people/test_own_merges.py": [
                "test_two_who_met_at_a_table_are_told_where",
            ],
            "site/players/test_addresses.py": ["test_other_spellings_lead_to_the_right_one"],
        },
    ),
    56: FieldCase(
        "Who played before the claim is merged with the verified account, games and all.",
        {
            "corrections/test_field_cases.py": [
                "test_the_rounds_of_before_the_claim_count_with_those_of_the_verified_account"
            ],
            "ingest/people/test_own_merges.py": [
                "test_it_is_shown_what_would_move_and_then_it_moves"
            ],
        },
    ),
    58: FieldCase(
        "Neither name, place nor picture of a private player leaks anywhere; their own view works.",
        {
            "site/test_hidden_people.py": [
                "test_no_page_preview_or_sitemap_shows_a_hidden_person",
                "test_hidden_and_unknown_people_get_the_same_page_and_the_same_picture",
            ],
            "site/boards/test_who_is_shown.py": [
                "test_the_unseen_are_gone_at_once_and_who_is_merged_once_views_follow",
                "test_a_page_is_the_same_however_somebody_came_to_be_hidden",
            ],
            "projections/test_leaderboards.py": [
                "test_who_becomes_private_is_gone_before_the_places_are_counted_again"
            ],
            "ingest/changes/test_changes_private.py": [
                "test_a_source_is_told_of_nobody_but_its_own_players"
            ],
            "ingest/people/test_choices.py": [
                "test_all_ids_of_a_person_are_hidden_at_once_and_one_private_id_hides_all"
            ],
        },
    ),
    60: FieldCase(
        "Results that were given to the wrong person move to the right one, both rated anew.",
        {
            "corrections/test_field_cases.py": [
                "test_results_that_were_given_to_the_wrong_person_move_to_the_right_one"
            ]
        },
    ),
    202: FieldCase(
        "One address with two names is told of, and a couple is told what to do.",
        {
            "ingest/record/judging/test_shared_addresses.py": [
                "test_both_at_one_table_are_refused_with_both_names_and_a_way_out",
                "test_every_door_warns_the_first_time_and_again",
                "test_a_sheet_with_both_at_one_table_says_in_which_rows",
            ]
        },
    ),
    203: FieldCase(
        "Two people under one id: the seats of one are given to another address, exactly.",
        {
            "corrections/test_reseat_stories.py": [
                "test_a_seat_is_anothers_as_if_it_had_always_been_and_goes_back"
            ],
            "ingest/changes/test_reseating.py": [
                "test_seats_go_to_someone_new_and_back",
                "test_rounds_stay_where_they_were_published_and_both_pages_tell_of_it",
            ],
        },
    ),
    226: FieldCase(
        "A name holds the same characters at every door, also in the sheet that is given out.",
        {
            "ingest/claim/test_characters_at_doors.py": [
                "test_a_label_is_judged_alike_at_every_door",
                "test_what_was_taken_is_given_out_and_is_the_same_when_it_is_sent_again",
            ]
        },
    ),
    230: FieldCase(
        "A table sent again with one address mistyped is told of.",
        {
            "ingest/record/judging/test_similar.py": [
                "test_what_is_similar_to_a_session_of_ones_own_and_of_others"
            ],
            "ingest/record/judging/test_similar_doors.py": ["test_a_slip_is_told_of_or_refused"],
        },
    ),
    231: FieldCase(
        "Names with letters that others write plainly are found by how others write them.",
        {
            "projections/test_search.py": [
                "test_every_letter_of_latin_that_is_no_plain_one_is_folded_to_plain_ones",
                "test_index_and_question_are_folded_alike",
            ]
        },
    ),
    234: FieldCase(
        "A program that guards a mailbox opens the link before its reader does.",
        {
            "site/whole/test_mail_scanner.py": [
                "test_a_scanner_spends_nothing_and_is_let_in_nowhere",
                "test_what_was_scanned_is_good_afterward",
            ]
        },
    ),
}
# Those of the collection from 50 to 60, and from 201 on those about names, addresses and who sat
# where. What concerns verification (229) and embedding (235) comes with those parts.
NUMBERS: Final = (51, 53, 55, 56, 58, 60, 202, 203, 226, 230, 231, 234)


@pytest.mark.parametrize("number", CASES)
def test_the_tests_that_hold_a_case_are_there(number: int) -> None:
    for name, tests in CASES[number].held_by.items():
        tree = ast.parse((TESTS / name).read_text())
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        found = {node.name for node in tree.body if isinstance(node, kinds)}
        assert found >= set(tests), f"{name} has no {set(tests) - found}, which hold case {number}."
        assert tests


def test_no_case_about_people_is_left_out() -> None:
    assert tuple(CASES) == NUMBERS
