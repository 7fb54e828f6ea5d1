import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { chipsOf } from '#lib/filters/chips.ts'
import { countOf, type Facets, facetOf } from '#lib/filters/facets.ts'
import {
  entriesOf,
  type FilterField,
  type FilterFields,
  type FilterGroupName,
  type FilterName,
} from '#lib/filters/fields.ts'
import { valuesPerFacet } from '#lib/filters/request.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import { type Filters, type FilterValue, isList, withFilter } from '#lib/filters/url.ts'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Drawer } from '#ui/overlays/drawer.tsx'
import { DomainsFilter } from './domains-filter.tsx'
import { FilterGroup } from './filter-group.tsx'
import { ListsFilter } from './lists-filter.tsx'
import { DayFilter, FlagFilter, NumberFilter, SwitchFilter } from './small-filters.tsx'
import { TechnologyFilter } from './technology-filter.tsx'
import { useHeldGroups } from './use-held-groups.ts'
import { ValueList } from './value-list.tsx'

interface FilterColumnProps {
  fields: FilterFields
  filters: Filters
  taxonomy: Taxonomy
  /** By the ids of lists. */
  listNames: ReadonlyMap<string, string>
  /** How many there are of each value; undefined where it is not known. */
  facets: Facets | undefined
  /** The groups that are open although nothing in them is chosen. */
  openGroups: readonly FilterGroupName[]
  onChange: (filters: Filters) => void
}

/** All filters of a search, in groups, in the order in which people narrow. */
export function FilterColumn(props: FilterColumnProps) {
  const { fields, filters, taxonomy, listNames, facets, openGroups, onChange } = props
  const { isHeld, columnProps } = useHeldGroups()
  const entries = entriesOf(fields)
  const groups = [...new Set(entries.map(([, { group }]) => group))]
  const chips = chipsOf(fields, filters, taxonomy, listNames)
  return (
    <div {...columnProps}>
      {groups.map((group, place) => (
        <FilterGroup
          key={group}
          name={group}
          place={place}
          chips={chips.filter((chip) => chip.group === group)}
          isOpenAtFirst={openGroups.includes(group)}
        >
          {entries
            .filter(([, field]) => field.group === group)
            .map(([name, field]) => (
              <Field key={name} {...{ name, field, filters, taxonomy, facets, onChange }} isHeld={isHeld(place)} />
            ))}
        </FilterGroup>
      ))}
    </div>
  )
}

interface FieldProps extends Pick<FilterColumnProps, 'filters' | 'taxonomy' | 'facets' | 'onChange'> {
  name: FilterName
  field: FilterField
  /** The values keep their order for now. */
  isHeld: boolean
}

function Field({ name, field, filters, taxonomy, facets, isHeld, onChange }: FieldProps) {
  const facet = facetOf(name, field)
  const values = facet && facets?.[facet]
  const counts = useMemo(() => countOf(values, valuesPerFacet), [values])
  const value = filters[name]
  const change = (next: FilterValue | undefined) => onChange(withFilter(filters, name, next))
  const chosen = isList(value) ? value : []
  switch (field.kind) {
    case 'values':
      if (field.match) return null
      if (field.list === 'apps' || field.list === 'pixels')
        return (
          <TechnologyFilter
            label={field.group}
            list={field.list}
            {...{ taxonomy, filters, counts, isHeld, onChange }}
          />
        )
      return (
        <>
          {field.group === 'More' && <p className="pt-2 pb-1">Roles of people</p>}
          <ValueList
            label={field.group}
            nodes={taxonomy.nodes(field.list)}
            {...{ chosen, counts, isHeld }}
            onChange={change}
          />
        </>
      )
    case 'domains':
      return <DomainsFilter chosen={chosen} onChange={change} />
    case 'flag':
      return <FlagFilter field={field} value={value as boolean | undefined} counts={counts} onChange={change} />
    case 'switch':
      return <SwitchFilter field={field} isOn={value === true} onChange={change} />
    case 'lists':
      return <ListsFilter chosen={chosen} isHeld={isHeld} onChange={change} />
    case 'number':
      return <NumberFilter field={field} value={value as number | undefined} onChange={change} />
    case 'day':
      return <DayFilter field={field} value={value as string | undefined} onChange={change} />
  }
}

interface FilterDrawerProps {
  /** How many filters are set. */
  count: number
  children: ReactNode
}

/** The filters where the window is too narrow for a column. */
export function FilterDrawer({ count, children }: FilterDrawerProps) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  return (
    <div className="lg:hidden">
      <Button isSmall onPress={() => setIsOpen(true)} aria-haspopup="dialog">
        <SlidersHorizontal aria-hidden />
        Filters{count > 0 && ` (${formatNumber(count)})`}
      </Button>
      <Drawer
        title="Filters"
        isOpen={isOpen}
        onClose={close}
        footer={
          <Button variant="primary" onPress={close} className="w-full">
            Show results
          </Button>
        }
      >
        {children}
      </Drawer>
    </div>
  )
}
