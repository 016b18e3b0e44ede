import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { forecastQuery, partlyFrom, type Forecast, type Foretold } from './api/forecast';
import type { RequestBody } from './tool';
import { useSettledForecast } from './use-settled-forecast';

/** How long a press waits for the forecast. */
const waitsForMs = 3_000;

/** A press that was held back; without a forecast none came in time. */
interface HeldPress {
  about: string;
  forecast: Forecast | undefined;
}

export type Forewarning = ReturnType<typeof useForewarning>;

/**
 * What a document will be, and that nobody pays for blanks who was not told: a press that comes before the forecast
 * waits for it, and is held back once where it foretells a frame or does not come.
 */
export function useForewarning(tool: Foretold, request: RequestBody | null) {
  const { t } = useI18n();
  const client = useQueryClient();
  const shown = useSettledForecast(tool, request);
  const [looking, setLooking] = useState(false);
  const [held, setHeld] = useState<HeldPress | null>(null);
  const about = JSON.stringify(request);
  const told = held?.about === about ? held : null;

  /** Whether a press may charge for this request: not before its reader could know what it makes. */
  async function mayCharge(checked: RequestBody): Promise<boolean> {
    if (shown || told) return true;
    setLooking(true);
    const found = await inTime(client.query(forecastQuery(tool, checked)));
    setLooking(false);
    // Who is refused a forecast is refused the document, too.
    if (found === null || (found && (found.coverage ?? 1) >= partlyFrom)) return true;
    setHeld({ about, forecast: found });
    const reason = t(found ? 'builder.frame' : 'builder.unforetold');
    toast.plain({ title: t('builder.notCharged'), description: `${reason} ${t('builder.pressAgain')}` });
    return false;
  }

  const forecast = shown ?? told?.forecast;
  return { forecast, looking, late: told !== null && !forecast, mayCharge };
}

/** Undefined when it takes too long, or fails. */
function inTime<Value>(value: Promise<Value>): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const late = () => {
      resolve(undefined);
    };
    window.setTimeout(late, waitsForMs);
    value.then(resolve, late);
  });
}
