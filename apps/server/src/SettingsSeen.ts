import type { Settings, SettingsOfEnv, UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'

interface Seen {
  readonly settings: WeakRef<Settings.Settings>
  /** By `performance.now()`. */
  readonly since: number
}

const maxAccounts = 10_000

/** Since when this process knows the current settings of each account. Storage answers from before are not used under them. */
export class SettingsSeen {
  readonly #seen = new LRUCache<UserId.UserId, Seen>({ max: maxAccounts })

  /** By `performance.now()`; the future for an account whose settings are not known. */
  since(owner: UserId.UserId): number {
    return this.#seen.get(owner)?.since ?? Number.POSITIVE_INFINITY
  }

  /** The same port; every value that it returns is noted. */
  observing(settingsOf: SettingsOfEnv['settingsOf']): SettingsOfEnv['settingsOf'] {
    return (owner) => async () => {
      const answer = await settingsOf(owner)()
      if (E.isRight(answer) && this.#seen.get(owner)?.settings.deref() !== answer.right)
        this.#seen.set(owner, { settings: new WeakRef(answer.right), since: performance.now() })
      return answer
    }
  }
}
