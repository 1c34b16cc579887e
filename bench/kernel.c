/* The loop of shared/rating/kernel_loop.py in C: the limit that the compiled kernel is measured
 * against. Whole numbers of 64 bits throughout; docs/rating.md says what is computed.
 */

#include <stdint.h>

#define SEATS_MAX 4
#define WIN_NANO INT64_C(1000000000)
#define NANO_PER_CENTI INT64_C(10000000)

struct standing {
    int64_t rating_centi, games, verified_rating_centi, verified_games;
};

struct history {
    const int32_t *players;
    const uint8_t *mahjongs;
    const int32_t *points_centi;
    const uint8_t *games_played, *seats, *points_count;
    const int64_t *place, *round_from, *round_to;
    const int64_t *event_place;
    const int32_t *event_player;
    const uint8_t *event_verified;
    const int32_t *survivor;
    int64_t sessions, events;
};

struct rules {
    const int32_t *expected_nano;
    const int64_t *k_games_min, *k;
    int64_t certain_centi, bands, bonus_nano_per_centi, bonus_max_nano, is_scaled;
};

struct seat {
    int64_t player, rating_centi, games, mahjongs, points_centi, k, change;
};

static int64_t k_factor(int64_t games, const struct rules *rules)
{
    int64_t k = rules->k[0];
    for (int64_t band = 1; band < rules->bands; band++)
        if (games >= rules->k_games_min[band])
            k = rules->k[band];
    return k;
}

static int64_t expected_nano(int64_t ahead_centi, const struct rules *rules)
{
    int64_t distance = ahead_centi < 0 ? -ahead_centi : ahead_centi;
    if (distance > rules->certain_centi)
        distance = rules->certain_centi;
    int64_t expected = rules->expected_nano[distance];
    return ahead_centi < 0 ? WIN_NANO - expected : expected;
}

/* The nearest whole quotient; exactly between two, the even one. */
static int64_t divided(int64_t sum_nano, int64_t divisor)
{
    int64_t quotient = sum_nano / divisor, rest = sum_nano % divisor;
    if (rest < 0) {
        rest += divisor;
        quotient--;
    }
    return quotient + (rest + (quotient & 1) > divisor / 2);
}

static void rate_table(struct seat *table, int seats, int points_count, const struct rules *rules)
{
    int64_t worth_nano = rules->bonus_nano_per_centi * points_count;
    for (int one = 0; one < seats; one++) {
        table[one].change = 0;
        table[one].k = k_factor(table[one].games, rules);
    }
    for (int one = 0; one < seats - 1; one++)
        for (int other = one + 1; other < seats; other++) {
            struct seat *a = &table[one], *b = &table[other];
            int64_t score =
                WIN_NANO / 2 * ((a->mahjongs > b->mahjongs) + (a->mahjongs >= b->mahjongs));
            int64_t surprise = score - expected_nano(a->rating_centi - b->rating_centi, rules);
            int64_t bonus = (a->points_centi - b->points_centi) * worth_nano;
            if (bonus > rules->bonus_max_nano)
                bonus = rules->bonus_max_nano;
            if (bonus < -rules->bonus_max_nano)
                bonus = -rules->bonus_max_nano;
            a->change += a->k * surprise + bonus;
            b->change -= b->k * surprise + bonus;
        }
    for (int one = 0; one < seats; one++)
        table[one].change = rules->is_scaled
                                ? divided(table[one].change, NANO_PER_CENTI * (seats - 1))
                                : divided(table[one].change, NANO_PER_CENTI);
}

void replay(const struct history *history, const struct rules *rules, struct standing *standings,
            uint8_t *is_verified, int32_t *verified_members)
{
    const struct history h = *history;
    int64_t event = 0;
    for (int64_t session = 0; session < h.sessions; session++) {
        for (; event < h.events && h.event_place[event] < h.place[session]; event++) {
            int32_t player = h.event_player[event];
            verified_members[h.survivor[player]] += h.event_verified[event] - is_verified[player];
            is_verified[player] = h.event_verified[event];
        }
        for (int64_t played = h.round_from[session]; played < h.round_to[session]; played++) {
            struct seat table[SEATS_MAX], verified[SEATS_MAX];
            int seated = h.seats[played], among = 0;
            for (int seat = 0; seat < seated; seat++) {
                int64_t player = h.survivor[h.players[played * SEATS_MAX + seat]];
                const struct standing *standing = &standings[player];
                table[seat] = (struct seat){player, standing->rating_centi, standing->games,
                                            h.mahjongs[played * SEATS_MAX + seat],
                                            h.points_centi[played * SEATS_MAX + seat], 0, 0};
                /* Whoever is not Verified is written over by the next: no branch to guess. */
                verified[among] = table[seat];
                verified[among].rating_centi = standing->verified_rating_centi;
                verified[among].games = standing->verified_games;
                among += (player != 0) & (verified_members[player] > 0);
            }
            rate_table(table, seated, h.points_count[played], rules);
            for (int seat = 0; seat < seated; seat++)
                if (table[seat].player != 0) {
                    standings[table[seat].player].rating_centi += table[seat].change;
                    standings[table[seat].player].games += h.games_played[played];
                }
            if (among < 2)
                continue;
            rate_table(verified, among, h.points_count[played], rules);
            for (int seat = 0; seat < among; seat++) {
                standings[verified[seat].player].verified_rating_centi += verified[seat].change;
                standings[verified[seat].player].verified_games += h.games_played[played];
            }
        }
    }
}
