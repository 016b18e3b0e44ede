import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { draftStorage } from '@/builder/draft-storage';
import { lessonPlanTool } from '@/features/lessons/lesson-plan-tool';
import { type FakeApi, FakeWallet, json } from '@/test/fake-api';
import {
  answer,
  download,
  filled,
  generate,
  generationsOf,
  plansAreMade,
  show,
  start,
} from '@/test/lesson-plan-screen';
import { teacher } from '@/test/show-route';

let api: FakeApi;

const generations = () => generationsOf(api);

beforeEach(() => {
  ({ api } = plansAreMade());
});

describe('what a lesson plan will be', { timeout: 20_000 }, () => {
  test('d33_an_empty_form_loads_no_checks_and_its_first_letter_does', async () => {
    new FakeWallet(api, 40);
    const checks = vi.spyOn(lessonPlanTool, 'checks');
    const person = show();
    const chapter = screen.getByLabelText('Chapter');
    expect(checks).not.toHaveBeenCalled();
    await person.type(chapter, 'E');
    expect(checks).toHaveBeenCalled();
  });

  test('d36_without_the_checks_nothing_is_made_until_they_come_by_themselves', async () => {
    const wallet = new FakeWallet(api, 40);
    vi.spyOn(lessonPlanTool, 'checks').mockRejectedValueOnce(new TypeError('Failed to fetch'));
    const form = { ...lessonPlanTool.empty, ...filled };
    draftStorage(lessonPlanTool, teacher.id).savePending({ form, sample: '', startedAt: Date.now() });
    show();
    expect(await screen.findByText(/^Part of this page has not arrived/)).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Load the page again' })).toBeEnabled();
    expect(download()).toBeDisabled();
    await waitFor(() => {
      expect(download()).toBeEnabled();
    });
    expect(screen.queryByText(/^Part of this page has not arrived/)).not.toBeInTheDocument();
    expect(wallet.writes).toEqual([]);
  });

  test('d36_a_press_while_the_checks_are_on_their_way_is_refused_when_they_fail', async () => {
    const wallet = new FakeWallet(api, 40);
    const lost = new TypeError('Failed to fetch');
    vi.spyOn(lessonPlanTool, 'checks')
      .mockReturnValueOnce(new Promise(() => undefined))
      .mockRejectedValue(lost);
    const form = { ...lessonPlanTool.empty, ...filled };
    draftStorage(lessonPlanTool, teacher.id).savePending({ form, sample: '', startedAt: Date.now() });
    const person = show();
    await person.click(download());
    expect(await screen.findByText(/^Part of this page has not arrived/)).toBeInTheDocument();
    expect(wallet.writes).toEqual([]);
    expect(generations()).toHaveLength(0);
  });

  test('d04_checks_that_come_late_bring_the_forecast_with_them', async () => {
    new FakeWallet(api, 20);
    const label = 'Draft frame. This chapter is not in the built-in bank.';
    api.on(generate, () => json({ meta: { generator: 'template', language: 'en', coverage: 0.1, label } }));
    const lost = new TypeError('Failed to fetch');
    vi.spyOn(lessonPlanTool, 'checks').mockRejectedValueOnce(lost);
    const form = { ...lessonPlanTool.empty, ...filled };
    draftStorage(lessonPlanTool, teacher.id).savePending({ form, sample: '', startedAt: Date.now() });
    show();
    expect(await screen.findByText(label, undefined, { timeout: 5_000 })).toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });

  test('d04_a_frame_is_announced_before_the_charge', async () => {
    const wallet = new FakeWallet(api, 20);
    const label = 'Draft frame. This chapter is not in the built-in bank.';
    api.on(generate, () =>
      json({ meta: { generator: 'template', language: 'en', coverage: 0.1, label, warnings: [label] } }),
    );
    const person = show();
    await start(person);
    expect(await screen.findByText(label)).toBeInTheDocument();
    expect(api.callsTo(generate)[0]?.body).toMatchObject({ chapter: 'Electricity', dryRun: true });
    expect(generations()).toHaveLength(0);
    expect(wallet.writes).toEqual([]);
  });

  test('d04_what_a_stand_in_for_the_model_would_change_is_announced_before_the_charge', async () => {
    new FakeWallet(api, 20);
    const fallback = 'પછી દસ્તાવેજ અંગ્રેજીમાં હશે.';
    const told = { generator: 'model', language: 'gu', coverage: null, label: 'By a model.', fallback };
    api.on(generate, () => json({ meta: told }));
    const person = show();
    await start(person);
    expect(await screen.findByText(fallback)).toHaveAttribute('lang', 'gu');
    expect(screen.queryByText('By a model.')).not.toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });

  test('d04_the_one_chapter_that_begins_with_what_was_typed_is_offered_for_a_frame', async () => {
    new FakeWallet(api, 40);
    const frame = { generator: 'template', language: 'en', coverage: 0, label: 'Draft frame.' };
    api.on(generate, () => json({ meta: frame }));
    const person = show();
    await start(person);
    const chapter = screen.getByRole('combobox', { name: 'Chapter' });
    fireEvent.change(chapter, { target: { value: 'light' } });
    await person.click(
      await screen.findByRole('button', { name: 'Use “Light – Reflection and Refraction”' }),
    );
    expect(chapter).toHaveValue('Light – Reflection and Refraction');
    expect(chapter).toHaveFocus();
  });

  describe('a press before the forecast', () => {
    const label = 'Draft frame. This chapter is not in the built-in bank.';
    const frame = { generator: 'template', language: 'en', coverage: 0.1, label };
    let wallet: FakeWallet;
    let estimate: (response: Response) => void;

    /** Only generations are answered at once. */
    beforeEach(() => {
      wallet = new FakeWallet(api, 40);
      api.on(generate, ({ headers }) => {
        if (headers.has('Idempotency-Key')) return json(answer);
        return new Promise<Response>((resolve) => {
          estimate = resolve;
        });
      });
    });

    async function pressAtOnce() {
      const person = show();
      await start(person);
      await person.click(download());
      expect(await screen.findByText('Looking up what the document will be...')).toBeInTheDocument();
      expect(download()).toBeDisabled();
      return person;
    }

    test('pays_nothing_for_a_frame_until_it_is_pressed_again', async () => {
      const person = await pressAtOnce();
      estimate(json({ meta: frame }));
      expect(await screen.findByText('Nothing was charged yet')).toBeInTheDocument();
      expect(await screen.findByText(label)).toBeInTheDocument();
      expect(download()).toHaveFocus();
      expect([wallet.coins, generations().length]).toEqual([40, 0]);
      await person.click(download());
      expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
      expect(wallet.coins).toBe(20);
    });

    test('goes_on_by_itself_where_the_chapter_is_known', async () => {
      await pressAtOnce();
      estimate(json({ meta: { ...frame, coverage: 0.9 } }));
      expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
      expect(wallet.coins).toBe(20);
    });

    test('is_held_back_once_where_the_forecast_does_not_come', async () => {
      const person = await pressAtOnce();
      expect(await screen.findByText('Nothing was charged yet')).toBeInTheDocument();
      expect(screen.getAllByText(/^What the document will be could not be found out in time/)).toHaveLength(
        2,
      );
      expect([wallet.coins, generations().length]).toEqual([40, 0]);
      await person.click(download());
      expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
    });
  });

  test('s422_what_the_document_will_lack_is_said_before_the_charge', async () => {
    new FakeWallet(api, 20);
    const warnings = ['sample not available to the generator'];
    const meta = { generator: 'model', language: 'en', coverage: null, label: 'By a model.', warnings };
    api.on(generate, () => json({ meta }));
    const person = show();
    await start(person);
    expect(await screen.findByText('sample not available to the generator')).toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });
});
