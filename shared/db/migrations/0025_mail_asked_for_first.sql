-- A link to log in is good for minutes, and somebody waits for it: it never stands behind the
-- thousands of mails that a night of many tables causes.
DROP INDEX mahjic.mails_due;
CREATE INDEX mails_due ON mahjic.mails ((NOT is_asked_for), due_at, number)
    WHERE state = 'queued';
