-- SQLite gets the same function from the process that opens it. Stable, because `convert_to` is: declared immutable it
-- could not be inlined, and would cost twice as much.
create function sha256hex(input text) returns text
  language sql stable strict parallel safe
  as $$ select encode(sha256(convert_to(input, 'UTF8')), 'hex') $$;
