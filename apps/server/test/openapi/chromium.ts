import { browsersToTest } from '@canopy/testkit'
import { type Browser, chromium } from 'playwright-core'

const tested = browsersToTest(process.env, 'The page at /docs')

export const browsers = tested.browsers

export const openBrowser = (): Promise<Browser> => chromium.launch(tested.chromium())
