// One of several concurrent commands: `node addRows.mjs URL FIRST COUNT` adds COUNT rows to each table, with ids from FIRST.

import { createHash } from 'node:crypto'
import { AccessToken, StoragePath, TriggerId, TriggerValue, UserId, Visibility } from '@canopy/domain'
import { openRegistryWriter, RegistryUrl } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'

const [url, first, count] = process.argv.slice(2)

const must = (result) => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left), { cause: result.left.cause })
  return result.right
}
const tokenOf = (text) => `cnp_${createHash('sha256').update(text).digest('base64url')}`

const writer = must(await openRegistryWriter(must(RegistryUrl.fromString('/', url)))())
for (let n = 0; n < Number(count); n += 1) {
  const name = String(Number(first) + n)
  const id = must(UserId.codec.decode(name))
  must(await writer.accounts.create({ id, name: O.some(name), verified: true, location: O.none })())
  const token = must(AccessToken.codec.decode(tokenOf(name)))
  must(await writer.tokens.add({ token, account: id, scope: StoragePath.root, expires: O.none, label: O.none })())
  must(await writer.settings.set(id, must(StoragePath.codec.decode(`/${name}`)), Visibility.all[0])())
  must(
    await writer.triggers.create({
      id: must(TriggerId.codec.decode(name)),
      value: must(TriggerValue.fromJson('{"type":"t"}')),
      expires: O.none,
    })(),
  )
}
await writer.close()
