import { browsersToTest, findChromium } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { type Browser, chromium } from 'playwright-core'

const found = findChromium(process.env)

export const browsers = browsersToTest(found, process.env, 'The client')

export const openBrowser = (): Promise<Browser> => {
  if (E.isLeft(found)) throw new Error(found.left)
  const { executablePath, args } = found.right
  return chromium.launch({ executablePath, args: [...args] })
}
