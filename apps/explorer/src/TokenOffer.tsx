import { settleOffer, useOffer } from './credentials.js'
import { Dialog } from './Dialog.js'
import { refresh } from './navigation.js'
import { words } from './preferences.js'

/** Asks before the token of a link replaces the token of the tab. */
export const TokenOffer = () => {
  if (useOffer() === undefined) return null
  const settle = (isAccepted: boolean): void => {
    settleOffer(isAccepted)
    if (isAccepted) refresh()
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
