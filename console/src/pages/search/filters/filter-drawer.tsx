import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Drawer } from '#ui/overlays/drawer.tsx'

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
