import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { closing } from '../closing.js'
import { openDatabase } from '../openDatabase.js'
import * as PostgresqlOptions from '../postgresql/PostgresqlOptions.js'
import { describe, type RegistryUrl } from '../RegistryUrl.js'
import type { Unavailable } from '../Unavailable.js'
import { accounts } from './accounts.js'
import { damage } from './damage.js'
import type { RegistryReader } from './RegistryReader.js'
import { settings } from './settings.js'
import { tokens } from './tokens.js'
import { triggers } from './triggers.js'

/** Opens a registry to look at it, as a server does: it must be there, and of this version. Creates and changes nothing. */
export const openRegistryReader = (url: RegistryUrl): TE.TaskEither<Unavailable, RegistryReader> =>
  pipe(
    openDatabase(url, PostgresqlOptions.patient),
    TE.map(({ db }) => ({
      accounts: accounts(db),
      tokens: tokens(db),
      settings: settings(db),
      triggers: triggers(db),
      place: describe(url),
      damage: url.engine === 'SQLite' ? damage(db) : TE.right([]),
      close: closing(db),
    })),
  )
