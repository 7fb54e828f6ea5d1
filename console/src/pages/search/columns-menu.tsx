import { useNavigate } from '@tanstack/react-router'
import { Columns3 } from 'lucide-react'
import { useMemo } from 'react'
import { messageOf } from '#api/failure.ts'
import { useSaveSetting, useSetting } from '#api/settings.ts'
import { useOptimisticValue } from '#lib/use-value.ts'
import { Button } from '#ui/actions/button.tsx'
import { Menu, MenuItem, MenuSection } from '#ui/actions/menu.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'

interface ColumnsMenuProps {
  columns: readonly { id: string; label: string }[]
  chosen: readonly string[]
  onChange: (ids: string[]) => void
}

/** Which columns the table has. The first one names the rows and stays. */
export function ColumnsMenu({ columns, chosen, onChange }: ColumnsMenuProps) {
  const [first, ...others] = columns
  return (
    <Menu
      label="Columns"
      placement="bottom end"
      trigger={
        <Button isSmall>
          <Columns3 aria-hidden />
          <span className="max-sm:sr-only">Columns</span>
        </Button>
      }
    >
      <MenuSection
        aria-label="Columns"
        selection={{
          mode: 'multiple',
          selected: chosen.filter((id) => id !== first?.id),
          onChange: (ids) => onChange(columns.map(({ id }) => id).filter((id) => id === first?.id || ids.includes(id))),
        }}
      >
        {others.map(({ id, label }) => (
          <MenuItem key={id} id={id}>
            {label}
          </MenuItem>
        ))}
      </MenuSection>
    </Menu>
  )
}

/** The columns of a table that the user has chosen: ids that exist, in the order of the table. Undefined for none. */
function parseColumns(known: readonly string[], choice: unknown): string[] | undefined {
  const words = typeof choice === 'string' ? choice.split(/[\s,]+/) : Array.isArray(choice) ? choice : []
  const chosen = known.filter((id) => words.includes(id))
  return chosen.length > 0 ? chosen : undefined
}

interface ColumnChoice {
  chosen: readonly string[]
  choose: (ids: string[]) => void
}

/** Columns by the address, else as the person has chosen them before, else those of the page. A choice goes into both. */
export function useColumnChoice(
  page: '/stores' | '/people',
  known: readonly string[],
  defaults: readonly string[],
  inAddress: string | undefined,
): ColumnChoice {
  const saved = useSetting('columns', page)
  const saveSetting = useSaveSetting()
  const navigate = useNavigate()
  const keep = (ids: readonly string[]) => {
    void navigate({
      to: page,
      search: (search) => ({ ...search, columns: ids.join(' ') }),
      state: true,
      replace: true,
      resetScroll: false,
    })
    saveSetting({ group: 'columns', name: page, value: ids }).catch((error) =>
      showToast(`The columns are not kept for next time: ${messageOf(error)}`),
    )
  }
  const current = useMemo(
    () => parseColumns(known, inAddress) ?? parseColumns(known, saved) ?? defaults,
    [known, inAddress, saved, defaults],
  )
  const [chosen, choose] = useOptimisticValue<readonly string[]>(current, keep)
  return { chosen, choose }
}
