import { memo, type ReactNode, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import type { CountOf } from '#lib/filters/facets.ts'
import { maxListValues } from '#lib/filters/fields.ts'
import type { Taxonomy, TaxonomyList, TaxonomyNode } from '#lib/filters/taxonomy.ts'
import { formatNumber } from '#lib/format.ts'
import { classNames } from '#ui/class-names.ts'
import { SearchField } from '#ui/fields/search-field.tsx'

/** Longer lists can be searched, and scroll inside their group. */
const longListLength = 15

interface ValueListProps {
  /** What the list is of, such as `Countries`. */
  label: string
  taxonomy: Taxonomy
  list: TaxonomyList
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  /** Beside a value, such as that it is chosen elsewhere. */
  noteOf?: (value: string) => ReactNode
  /** How many there are of a value. */
  counts: CountOf | undefined
  /** Choosing a value takes as many away. */
  areCountsLost?: boolean
}

/** Values to choose from. Plain checkboxes: a list has up to several hundred. */
export function ValueList(props: ValueListProps) {
  const { label, taxonomy, list, chosen, onChange, noteOf, counts, areCountsLost = false } = props
  const [text, setText] = useState('')
  // Those that are chosen stand first, but no value moves while somebody looks at it.
  const [pinned, setPinned] = useState(chosen)
  const nodes = taxonomy.search(list, useDeferredValue(text))
  const shown = pinFirst(
    nodes.filter(({ deprecated, value }) => !deprecated || chosen.includes(value)),
    pinned,
  )
  const isLong = taxonomy.nodes(list).length > longListLength
  const isFull = chosen.length >= maxListValues
  const toggle = useStable((value: string) =>
    onChange(chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value]),
  )
  return (
    <>
      {isLong && (
        <SearchField
          label={`Find in ${label}`}
          placeholder="Find a value"
          value={text}
          onChange={(next) => {
            setText(next)
            setPinned(chosen)
          }}
          className="mb-1.5"
        />
      )}
      <ul className={classNames(isLong && 'max-h-56 overflow-y-auto overscroll-contain pr-1')}>
        {shown.map((node) => (
          <Value
            key={node.value}
            node={node}
            isChosen={chosen.includes(node.value)}
            isDisabled={isFull && !chosen.includes(node.value)}
            onToggle={toggle}
            note={noteOf?.(node.value)}
            count={counts?.(node.value)}
            isCountLost={areCountsLost}
          />
        ))}
      </ul>
      {shown.length === 0 && <p className="px-1 py-1 text-muted">Nothing fits.</p>}
      {isFull && <p className="pt-1 text-muted text-xs">{maxListValues} values are the most that a search takes.</p>}
    </>
  )
}

/** A tree keeps its order: without what is above it a value says little. */
function pinFirst(nodes: readonly TaxonomyNode[], pinned: readonly string[]): readonly TaxonomyNode[] {
  if (pinned.length === 0 || nodes.some(({ depth }) => depth > 0)) return nodes
  const isPinned = ({ value }: TaxonomyNode) => pinned.includes(value)
  return [...nodes.filter(isPinned), ...nodes.filter((node) => !isPinned(node))]
}

const indents = ['', 'pl-4', 'pl-8', 'pl-12']

interface ValueProps {
  node: TaxonomyNode
  isChosen: boolean
  isDisabled: boolean
  onToggle: (value: string) => void
  note: ReactNode
  count: number | undefined
  isCountLost: boolean
}

/** Drawn anew only when it changes: a press on one of several hundred should not cost the others. */
const Value = memo(function Value(props: ValueProps) {
  const { node, isChosen, isDisabled, onToggle, note, count, isCountLost } = props
  const id = useId()
  return (
    <li className={classNames('flex items-start gap-2', indents[Math.min(node.depth, indents.length - 1)])}>
      <input
        id={id}
        type="checkbox"
        checked={isChosen}
        disabled={isDisabled}
        aria-describedby={count === undefined ? undefined : `${id}-count`}
        onChange={() => onToggle(node.value)}
        className="mt-1 size-4 shrink-0 accent-accent pointer-coarse:mt-2.5 pointer-coarse:size-5"
      />
      <label htmlFor={id} className="min-w-0 flex-1 py-0.5 wrap-anywhere pointer-coarse:py-2.5" dir="auto">
        {node.label}
      </label>
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
