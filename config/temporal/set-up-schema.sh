#!/bin/sh
# Makes the engine's two databases and brings their tables to this version; safe to run at every start.
set -eu
set_up() {
  temporal-sql-tool --database "$1" create-database
  temporal-sql-tool --database "$1" setup-schema --version 0.0
  temporal-sql-tool --database "$1" update-schema --schema-name "postgresql/v12/$2"
}
set_up temporal temporal
set_up temporal_visibility visibility
