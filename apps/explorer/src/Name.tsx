import { type Piece, splitName, splitPieces } from './format.js'

const Pieces = ({ pieces }: { readonly pieces: ReadonlyArray<Piece> }) => (
  <>{pieces.map(({ text, mark }) => (mark === undefined ? text : <span class="mark">{mark}</span>))}</>
)

/** A name in one line, cut in the middle if too long. */
export const Name = ({ name }: { readonly name: string }) => {
  const [head, tail] = splitName(name)
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

/** A whole text with marks for invisible characters. */
export const Visible = ({ text }: { readonly text: string }) => (
  <bdi class="visible">
    <Pieces pieces={splitPieces(text)} />
  </bdi>
)
