import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { CountOf } from '#lib/filters/facets.ts'
import { type FacetOrder, orderFacet, withChosen } from '#lib/filters/facets.ts'
import { searchNodes, type TaxonomyNode } from '#lib/filters/taxonomy.ts'

interface OrderedValues {
  nodes: readonly TaxonomyNode[]
  /** The typed text that filters the values. */
  typed: string
  chosen: readonly string[]
  counts: CountOf | undefined
  isHeld: boolean
}

/**
 * The order of the values of a facet. While it is held nothing moves: not by a choice, nor by counts that arrive. A scroll moves
 * everything anyway, and so brings to the top what was chosen meanwhile. What had the focus has it afterwards.
 */
export function useFacetOrder({ nodes, typed, chosen, counts, isHeld }: OrderedValues) {
  const found = useMemo(() => searchNodes(nodes, typed), [nodes, typed])
  const chosenWords = chosen.join(' ')
  const wanted = useMemo(
    () => orderFacet({ all: nodes, found, chosen: chosenWords.split(' '), counts }),
    [nodes, found, chosenWords, counts],
  )
  const [kept, setKept] = useState({ order: wanted, of: wanted, found })
  const isMoved = kept.of !== wanted && (!isHeld || kept.found !== found)
  if (isMoved) setKept({ order: wanted, of: wanted, found })
  const order: FacetOrder = isMoved ? wanted : kept.order

  const list = useRef<HTMLDivElement>(null)
  const focused = useRef<string>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each move, and only then
  useLayoutEffect(() => {
    if (focused.current === undefined || document.activeElement !== document.body) return
    list.current
      ?.querySelector<HTMLInputElement>(`input[value="${CSS.escape(focused.current)}"]`)
      ?.focus({ preventScroll: true })
  }, [order])

  return {
    order,
    bringToTop: () => {
      const shown = new Set(order.chosen.map(({ value }) => value))
      const missing = nodes.filter(({ value }) => chosen.includes(value) && !shown.has(value))
      if (missing.length > 0) setKept({ ...kept, order: withChosen(order, missing) })
    },
    listProps: {
      ref: list,
      onFocus: () => {
        // Not the event's target: a group leads the focus on to where it was.
        const target = document.activeElement
        focused.current = target instanceof HTMLInputElement && target.type === 'checkbox' ? target.value : undefined
      },
      onBlur: () => {
        focused.current = undefined
      },
    },
  }
}
