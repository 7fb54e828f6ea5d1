import { Columns3 } from 'lucide-react'
import { Button } from '#ui/actions/button.tsx'
import { Menu, MenuItem, MenuSection } from '#ui/actions/menu.tsx'

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
