import { memo, type ReactNode, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import type { CountOf } from '#lib/filters/facets.ts'
import { maxListValues } from '#lib/filters/fields.ts'
import type { TaxonomyNode } from '#lib/filters/taxonomy.ts'
import { formatNumber } from '#lib/format.ts'
import { classNames } from '#ui/class-names.ts'
import { SearchField } from '#ui/fields/search-field.tsx'
import { useFacetOrder } from './use-facet-order.ts'

/** Longer lists can be searched, and scroll inside their group. */
const longListLength = 15

interface ValueListProps {
  /** The name of the list, such as `Countries`. */
  label: string
  nodes: readonly TaxonomyNode[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  /** Beside a value, such as that it is chosen elsewhere. */
  noteOf?: (value: string) => ReactNode
  /** How many there are of a value. They decide the order. */
  counts: CountOf | undefined
  areCountsShown?: boolean
  /** Choosing a value takes as many away. */
  areCountsLost?: boolean
  /** The values keep their places for now. */
  isHeld: boolean
  /** How many can be chosen, and the sentence that says so. */
  most?: number
  fullText?: string
}

/**
 * Values to choose from: what is chosen stands above the list and does not scroll with it, then come the largest counts; what
 * would find nothing is folded. Plain checkboxes: a list has up to several hundred.
 */
export function ValueList(props: ValueListProps) {
  const { label, nodes, chosen, onChange, noteOf, counts, areCountsShown = true, areCountsLost = false, isHeld } = props
  const { most = maxListValues, fullText = `${most} values are the most that a search takes.` } = props
  const [text, setText] = useState('')
  const [isUnfolded, setIsUnfolded] = useState(false)
  const typed = useDeferredValue(text).trim()
  const { order, bringToTop, listProps } = useFacetOrder({ nodes, typed, chosen, counts, isHeld })
  const isLong = nodes.length > longListLength
  const isFull = chosen.length >= most
  const rows = isUnfolded || typed !== '' ? order.others : order.others.filter(({ isFolded }) => !isFolded)
  const foldedCount = typed === '' ? order.others.filter(({ isFolded }) => isFolded).length : 0
  const toggle = useStable((value: string) =>
    onChange(chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value]),
  )
  const draw = (node: TaxonomyNode, isAtTop: boolean) => (
    <Value
      key={node.value}
      node={node}
      above={isAtTop ? labelsAbove(node, nodes) : undefined}
      isChosen={chosen.includes(node.value)}
      isDisabled={isFull && !chosen.includes(node.value)}
      onToggle={toggle}
      note={noteOf?.(node.value)}
      count={areCountsShown ? counts?.(node.value) : undefined}
      isCountLost={areCountsLost}
    />
  )
  return (
    <div {...listProps}>
      {isLong && (
        <SearchField
          label={`Find in ${label}`}
          placeholder="Find a value"
          value={text}
          onChange={setText}
          className="mb-1.5"
        />
      )}
      {order.chosen.length > 0 && (
        <ul className="max-h-40 overflow-y-auto overscroll-contain pr-1">
          {order.chosen.map((node) => draw(node, true))}
        </ul>
      )}
      <ul
        onScroll={bringToTop}
        className={classNames('empty:hidden', isLong && 'max-h-56 overflow-y-auto overscroll-contain pr-1')}
      >
        {rows.map(({ node, isHeading }) => (isHeading ? <Heading key={node.value} node={node} /> : draw(node, false)))}
      </ul>
      {typed !== '' && rows.length === 0 && <p className="px-1 py-1 text-muted">Nothing else fits.</p>}
      {foldedCount > 0 && (
        <button
          type="button"
          aria-expanded={isUnfolded}
          onClick={() => setIsUnfolded(!isUnfolded)}
          className="flex min-h-6 cursor-default items-center rounded-sm px-1 text-accent-text hover:underline pointer-coarse:min-h-11"
        >
          {isUnfolded ? 'Show fewer' : `Show ${formatNumber(foldedCount)} more`}
        </button>
      )}
      {isFull && <p className="pt-1 text-muted text-xs">{fullText}</p>}
    </div>
  )
}

/** `Home & Garden › Decor`: at the top a value of a tree stands alone. */
function labelsAbove(node: TaxonomyNode, nodes: readonly TaxonomyNode[]): string | undefined {
  const labels: string[] = []
  for (let at = node; at.parent; ) {
    const parent = nodes.find(({ value }) => value === at.parent)
    if (!parent) break
    labels.unshift(parent.label)
    at = parent
  }
  return labels.length > 0 ? labels.join(' › ') : undefined
}

/** A value that is chosen, and so has its box at the top. */
function Heading({ node: { label, depth } }: { node: TaxonomyNode }) {
  return (
    <li className={classNames('py-0.5 text-muted wrap-anywhere', indentOf(depth))} dir="auto">
      {label}
    </li>
  )
}

const indents = ['', 'pl-4', 'pl-8', 'pl-12']
const indentOf = (depth: number) => indents[Math.min(depth, indents.length - 1)]

interface ValueProps {
  node: TaxonomyNode
  /** The values above it, where they do not stand in the list. */
  above: string | undefined
  isChosen: boolean
  isDisabled: boolean
  onToggle: (value: string) => void
  note: ReactNode
  count: number | undefined
  isCountLost: boolean
}

/** Drawn again only when it changes: a press on one of several hundred should not cost the others. */
const Value = memo(function Value(props: ValueProps) {
  const { node, above, isChosen, isDisabled, onToggle, note, count, isCountLost } = props
  const id = useId()
  const describedBy = [above && `${id}-above`, count !== undefined && `${id}-count`].filter(Boolean).join(' ')
  return (
    <li className={classNames('flex items-start gap-2', above === undefined && indentOf(node.depth))}>
      <input
        id={id}
        type="checkbox"
        value={node.value}
        checked={isChosen}
        disabled={isDisabled}
        aria-describedby={describedBy || undefined}
        onChange={() => onToggle(node.value)}
        className="mt-1 size-4 shrink-0 accent-accent pointer-coarse:mt-2.5 pointer-coarse:size-5"
      />
      <span className="min-w-0 flex-1">
        <label htmlFor={id} className="block py-0.5 wrap-anywhere pointer-coarse:py-2.5" dir="auto">
          {node.label}
        </label>
        {above && (
          <span id={`${id}-above`} className="block text-muted text-xs wrap-anywhere">
            in {above}
          </span>
        )}
      </span>
      {note}
      {count !== undefined && (
        <span id={`${id}-count`} className="py-1 text-muted text-xs tabular-nums pointer-coarse:py-3">
          {isCountLost && count > 0 && '−'}
          {formatNumber(count)}
        </span>
      )}
    </li>
  )
})

/** A function that keeps its identity and calls the latest version. */
function useStable<Value>(callback: (value: Value) => void): (value: Value) => void {
  const latest = useRef(callback)
  useEffect(() => {
    latest.current = callback
  })
  const [stable] = useState(() => (value: Value) => latest.current(value))
  return stable
}
