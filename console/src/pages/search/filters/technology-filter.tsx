import { useState } from 'react'
import type { CountOf } from '#lib/filters/facets.ts'
import { type FilterName, maxListValues } from '#lib/filters/fields.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import { type Filters, listOf, withFilter } from '#lib/filters/url.ts'
import { Segmented } from '#ui/fields/segmented.tsx'
import { ValueList } from './value-list.tsx'

type TechnologyList = 'apps' | 'pixels'
type Match = 'any' | 'all' | 'none'

const matches: { id: Match; label: string; note: string }[] = [
  { id: 'any', label: 'Any of', note: 'any' },
  { id: 'all', label: 'All of', note: 'must have' },
  { id: 'none', label: 'None of', note: 'not' },
]

interface TechnologyFilterProps {
  label: string
  list: TechnologyList
  taxonomy: Taxonomy
  filters: Filters
  counts: CountOf | undefined
  isHeld: boolean
  onChange: (filters: Filters) => void
}

/** Three lists of one technology: at least one of these, every one of these, not one of these. A value is in one of them. */
export function TechnologyFilter({ label, list, taxonomy, filters, counts, isHeld, onChange }: TechnologyFilterProps) {
  const chosenFor = (each: Match) => listOf(filters, nameOf(list, each))
  const [match, setMatch] = useState(() => matches.find(({ id }) => chosenFor(id).length > 0)?.id ?? 'any')
  const change = (values: string[]) => {
    let next = withFilter(filters, nameOf(list, match), values)
    for (const { id } of matches) {
      if (id === match) continue
      const others = chosenFor(id).filter((value) => !values.includes(value))
      next = withFilter(next, nameOf(list, id), others)
    }
    onChange(next)
  }
  const noteOf = (value: string) => {
    const other = matches.find(({ id }) => id !== match && chosenFor(id).includes(value))
    return other && <span className="py-1 text-muted text-xs">{other.note}</span>
  }
  return (
    <>
      <Segmented
        label={`${label}: how they match`}
        isLabelHidden
        options={matches.map(({ id, label: name }) => ({ id, label: name, hint: chosenFor(id).length || undefined }))}
        value={match}
        onChange={setMatch}
        className="mb-1.5"
      />
      <ValueList
        // The lists have orders of their own.
        key={match}
        label={label}
        nodes={taxonomy.nodes(list)}
        chosen={chosenFor(match).slice(0, maxListValues)}
        onChange={change}
        noteOf={noteOf}
        counts={counts}
        // Those with a value, as if nothing stood in the first list: the others narrow what that one finds.
        areCountsShown={match === 'any' || chosenFor('any').length === 0}
        areCountsLost={match === 'none'}
        isHeld={isHeld}
      />
    </>
  )
}

function nameOf(list: TechnologyList, match: Match): FilterName {
  return match === 'any' ? list : `${list}_${match}`
}
