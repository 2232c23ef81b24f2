import { useState } from 'preact/hooks'
import { offeredToken, settleOffer } from './credentials.js'
import { Dialog } from './Dialog.js'
import { refresh } from './navigation.js'
import { words } from './preferences.js'

/** Asks before the token of a link replaces the token of the tab. */
export const TokenOffer = () => {
  const [, render] = useState(0)
  if (offeredToken() === undefined) return null
  const settle = (isAccepted: boolean): void => {
    settleOffer(isAccepted)
    if (isAccepted) refresh()
    render((count) => count + 1)
  }
  return (
    <Dialog title={words().offer.title} close={() => settle(false)}>
      <p>{words().offer.explain}</p>
      <button type="button" class="main" onClick={() => settle(true)}>
        {words().offer.accept}
      </button>
    </Dialog>
  )
}
