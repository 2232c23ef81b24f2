import { UserId } from '@canopy/domain'
import type { TriggerRecord } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { directoryOf } from '../AreaMap.js'
import type { Command, CommandEnv } from '../CommandEnv.js'
import { accountJson, verifyHint } from '../describeAccount.js'
import { type Report, report } from '../Report.js'
import { triggerJson } from '../trigger/triggerJson.js'
import { demoAccount } from './demoAccount.js'
import { type DemoWithToken, demoToken } from './demoToken.js'
import { demoTrigger } from './demoTrigger.js'
import { demoUrls } from './demoUrls.js'
import { plantDemo } from './plantDemo.js'

const describe = ({ root, baseUrl }: CommandEnv, demo: DemoWithToken, trigger: TriggerRecord): Report => {
  const urls = demoUrls(baseUrl, demo, trigger)
  return report(
    {
      account: accountJson(root, demo.account),
      token: demo.token.token,
      tokenId: demo.token.tokenId,
      trigger: triggerJson(trigger),
      urls: urls.map(({ operation, shows, url }) => ({ operation, shows, url })),
    },
    [
      `The demo is account ${UserId.toDecimal(demo.account.id)}; its files: ${directoryOf(root, demo.account)}`,
      ...verifyHint(demo.account),
      ...urls.flatMap(({ operation, shows, url }) => ['', `${operation}: ${shows}`, `  ${url}`]),
    ],
  )
}

/** An account that shows what Canopy does. Run again, it changes nothing and says the same. */
export const demo: Command = (env) =>
  pipe(
    demoAccount(env),
    TE.flatMap(plantDemo(env)),
    TE.flatMap(demoToken(env)),
    TE.bindTo('made'),
    TE.bind('trigger', ({ made }) => demoTrigger(env)(made)),
    TE.map(({ made, trigger }) => describe(env, made, trigger)),
  )
