import { type Piece, partsOf, piecesOf } from './format.js'

const Pieces = ({ pieces }: { readonly pieces: ReadonlyArray<Piece> }) => (
  <>{pieces.map(({ text, mark }) => (mark === undefined ? text : <span class="mark">{mark}</span>))}</>
)

/** A name in one line. What is too long gives way in its middle. */
export const Name = ({ name }: { readonly name: string }) => {
  const [head, tail] = partsOf(name)
  return (
    <bdi class="name">
      <span class="head">
        <Pieces pieces={head} />
      </span>
      {tail.length > 0 && (
        <span class="tail">
          <Pieces pieces={tail} />
        </span>
      )}
    </bdi>
  )
}

/** A text in full, with its unseen characters. */
export const Visible = ({ text }: { readonly text: string }) => (
  <bdi class="visible">
    <Pieces pieces={piecesOf(text)} />
  </bdi>
)
