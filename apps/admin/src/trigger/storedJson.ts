import type { StoredTrigger } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import type * as Json from '../Json.js'
import { brokenMessage } from './brokenMessage.js'
import { triggerJson } from './triggerJson.js'

export const storedJson: (trigger: StoredTrigger) => Json.Json = E.match(
  (broken): Json.Json => ({ id: broken.id, value: null, expires: null, broken: brokenMessage(broken) }),
  triggerJson,
)
