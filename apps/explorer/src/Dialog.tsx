import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { IconButton } from './icons.js'
import { words } from './preferences.js'

interface ModalProps {
  readonly class: string
  readonly label: string
  readonly close: () => void
  readonly children: ComponentChildren
}

/** A dialog over the page, with a button that closes it. */
export const Modal = ({ class: className, label, close, children }: ModalProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  // Open before the next key press, which belongs to the dialog.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class={className} aria-label={label} onClose={close}>
      {children}
      <IconButton
        icon="close"
        label={words().keys.close}
        class="square close"
        onClick={() => dialog.current?.close()}
      />
    </dialog>
  )
}

interface DialogProps extends Pick<ModalProps, 'close' | 'children'> {
  readonly title: string
}

export const Dialog = ({ title, close, children }: DialogProps) => (
  <Modal class="dialog" label={title} close={close}>
    <h2>{title}</h2>
    {children}
  </Modal>
)
