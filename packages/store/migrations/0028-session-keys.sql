-- Over plain http a session belongs to one browser: to the key that signs its requests, at the port where it signed in.
alter table sessions add column public_key text;
-- What the listener proves itself to that browser with. It signs nobody in.
alter table sessions add column listener_secret text;
alter table sessions add column port bigint;
