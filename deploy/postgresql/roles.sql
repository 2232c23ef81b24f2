-- Who may do what with the registry: canopy_admin (the canopy command) owns it, canopy_server (the servers) can only
-- read it. Run once, as a superuser, in the database that will hold the registry, by psql of version 15 or later:
--
--   CANOPY_ADMIN_PASSWORD=... CANOPY_SERVER_PASSWORD=... psql --dbname=canopy --file=deploy/postgresql/roles.sql
\set ON_ERROR_STOP on
\getenv admin_password CANOPY_ADMIN_PASSWORD
\getenv server_password CANOPY_SERVER_PASSWORD

begin;
create role canopy_admin login password :'admin_password';
create role canopy_server login password :'server_password';
alter role canopy_server set default_transaction_read_only = on;

-- No one else gets in.
select current_database() as registry \gset
revoke all on database :"registry" from public;
grant connect on database :"registry" to canopy_admin, canopy_server;
revoke all on schema public from public;
grant usage, create on schema public to canopy_admin;
grant usage on schema public to canopy_server;

-- Tables that are there already, and those that a later version of Canopy will make.
grant select on all tables in schema public to canopy_server;
alter default privileges for role canopy_admin in schema public grant select on tables to canopy_server;
commit;
