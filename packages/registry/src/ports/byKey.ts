import type { ReadDatabase } from '../ReadDatabase.js'
import { compiledOnce, type Find, type Query } from './compiledOnce.js'
import { rememberedRows } from './rememberedRows.js'

/** The rows of a query by its key, not even asked for while nothing has changed. */
export const byKey = ({ db, version }: ReadDatabase, query: Query): Find =>
  rememberedRows(version, compiledOnce(db, query))
