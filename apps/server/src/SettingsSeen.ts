import type { Settings, SettingsOfEnv, UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'

interface Seen {
  readonly settings: WeakRef<Settings.Settings>
  /** By `performance.now()`. */
  readonly since: number
}

const maxAccounts = 10_000

/** Records when this process first saw the current settings of each account. Older storage answers must not be used with them. */
export class SettingsSeen {
  readonly #seen = new LRUCache<UserId.UserId, Seen>({ max: maxAccounts })

  /** Returns a time by `performance.now()`; infinite for an account without known settings. */
  since(owner: UserId.UserId): number {
    return this.#seen.get(owner)?.since ?? Number.POSITIVE_INFINITY
  }

  /** Wraps the port, and remembers every value that it returns. */
  observing(settingsOf: SettingsOfEnv['settingsOf']): SettingsOfEnv['settingsOf'] {
    return (owner) => async () => {
      const answer = await settingsOf(owner)()
      if (E.isRight(answer) && this.#seen.get(owner)?.settings.deref() !== answer.right)
        this.#seen.set(owner, { settings: new WeakRef(answer.right), since: performance.now() })
      return answer
    }
  }
}
