-- Whether the asker receives the person's comment ('asker'), and the person's actual answer by its name (core's AnswerName).
-- Empty in rows that an older version wrote.
alter table asks add column comment_reaches text;
alter table asks add column person_answer text;
