// One of several operators at once: `node addRows.mjs URL NAME COUNT` adds so many of everything.

import { createHash } from 'node:crypto'
import { AccessToken, StoragePath, TriggerId, TriggerValue, Visibility } from '@canopy/domain'
import { openRegistryWriter, RegistryUrl } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'

const [url, name, count] = process.argv.slice(2)

const must = (result) => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left), { cause: result.left.cause })
  return result.right
}
const tokenOf = (text) => `cnp_${createHash('sha256').update(text).digest('base64url')}`

const writer = must(await openRegistryWriter(must(RegistryUrl.fromString('/', url)))())
for (let n = 0; n < Number(count); n += 1) {
  const account = must(
    await writer.accounts.create({ id: O.none, name: O.some(`${name}-${n}`), verified: true, location: O.none })(),
  )
  const token = must(AccessToken.codec.decode(tokenOf(`${name}-${n}`)))
  must(
    await writer.tokens.add({ token, account: account.id, scope: StoragePath.root, expires: O.none, label: O.none })(),
  )
  must(await writer.settings.set(account.id, must(StoragePath.codec.decode(`/${name}-${n}`)), Visibility.all[0])())
  must(
    await writer.triggers.create({
      id: must(TriggerId.codec.decode(`${name}-${n}`)),
      value: must(TriggerValue.fromJson('{"type":"t"}')),
      expires: O.none,
    })(),
  )
}
await writer.close()
