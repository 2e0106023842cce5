"""prism.random on one device: the same numbers on each. python_random_test.py PACKAGE_FOLDER."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop()).resolve()))
import prism


class Random(unittest.TestCase):
    def test_words_are_those_of_the_authors_of_philox(self):
        # kat_vectors of Random123 for philox4x32-10: counter 0 and key 0
        self.assertEqual(prism.random.default_rng(0).words(2).tolist(), [0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c])

    def test_every_device_has_the_same_numbers(self):
        rng = prism.random.default_rng(2 ** 63 + 5)
        self.assertEqual(rng.integers(-3, 100, size=6).tolist(), [-2, 45, 68, 71, 18, 12])
        self.assertEqual(rng.uniform(1, 2, size=(2, 2), dtype=prism.float32).tolist(), [[1.09125554561615, 1.4832813739776611], [1.3434157371520996, 1.2887928485870361]])
        self.assertEqual(rng.position, 10)
        self.assertEqual(rng.permutation(8).tolist(), [4, 1, 2, 6, 3, 0, 7, 5])
        if prism.get_device().has("fp64"):
            self.assertEqual(rng.standard_normal(3).tolist(), [-0.842368524079729, -0.1809363920197402, 1.009252796621888])

    def test_calls_go_on_where_the_last_one_ended(self):
        one, several = prism.random.default_rng(7), prism.random.default_rng(7)
        whole = one.integers(1000, size=9).tolist()
        self.assertEqual(several.integers(1000, size=4).tolist() + several.integers(1000, size=(5,)).tolist(), whole)
        several.position = 0
        self.assertEqual(several.integers(1000).item(), whole[0])

    def test_a_permutation_has_each_element_once(self):
        rng = prism.random.default_rng(1)
        self.assertEqual(sorted(rng.permutation(500).tolist()), list(range(500)))
        rows = prism.reshape(prism.arange(60), (20, 3))
        mixed = rng.permutation(rows)
        self.assertEqual(sorted(mixed.tolist()), rows.tolist())
        self.assertNotEqual(mixed.tolist(), rows.tolist())
        rng.shuffle(rows)
        self.assertEqual(sorted(rows[:, 0].tolist()), list(range(0, 60, 3)))

    def test_seeds_of_the_system_differ_and_wrong_arguments_are_refused(self):
        self.assertNotEqual(prism.random.default_rng().seed, prism.random.default_rng().seed)
        for call, what in ((lambda: prism.random.default_rng(-1), "seed"), (lambda: prism.random.default_rng("a"), "seed"),
                           (lambda: prism.random.default_rng(1).integers(3, 3), r"no integer in \[3, 3\)"),
                           (lambda: prism.random.default_rng(1).random((-1,)), "extent of a shape"),
                           (lambda: prism.random.default_rng(1).random(2, dtype=prism.int32), "int32")):
            with self.assertRaisesRegex((ValueError, TypeError), what):
                call()

    def test_choices_are_elements_of_the_array(self):
        rng = prism.random.default_rng(3)
        self.assertEqual(rng.choice(5, (2, 3)).shape, (2, 3))
        self.assertEqual(rng.choice(prism.asarray([7])).item(), 7)
        rows = prism.reshape(prism.arange(12), (4, 3))
        for each in rng.choice(rows, 5).tolist():
            self.assertIn(each, rows.tolist())
        self.assertEqual(sorted(rng.choice(9, 9, replace=False).tolist()), list(range(9)))
        self.assertEqual(sorted(rng.choice(rows, 3, replace=False, axis=1)[0].tolist()), [0, 1, 2])
        counts = [rng.choice(3, 3000).tolist().count(k) for k in range(3)]
        self.assertTrue(all(850 < each < 1150 for each in counts), counts) # 5 standard deviations are 130
        if prism.get_device().has("fp64"):
            found = rng.choice(3, 4000, p=[0.5, 0.0, 0.5]).tolist()
            self.assertTrue(1 not in found and 1800 < found.count(0) < 2200, found.count(0))
            self.assertEqual(sorted(rng.choice(4, 3, replace=False, p=[0.2, 0.0, 0.7, 0.1]).tolist()), [0, 2, 3])
        for wrong, text in ((lambda: rng.choice(3, 4, replace=False), "4 elements of 3"), (lambda: rng.choice(0, 1), "no element"),
                            (lambda: rng.choice(2, 1, p=[0.5, 0.4]), "with the sum 1"), (lambda: rng.choice(2, 1, p=[1.0]), "for 2 elements")):
            if "p=" in text or prism.get_device().has("fp64"):
                with self.assertRaisesRegex(ValueError, text):
                    wrong()

    def test_whole_numbers_have_the_type_that_is_asked_for(self):
        rng = prism.random.default_rng(4)
        found = rng.integers(-128, 127, 400, dtype=prism.int8, endpoint=True)
        self.assertEqual(found.dtype, prism.int8)
        self.assertTrue(min(found.tolist()) < -100 and max(found.tolist()) > 100)
        self.assertEqual(sorted(set(rng.integers(2, size=50, dtype=bool).tolist())), [False, True])
        with self.assertRaisesRegex(ValueError, "not within uint8"):
            rng.integers(-1, 3, dtype="uint8")

    def test_exponential_numbers_have_their_mean(self):
        found = prism.random.default_rng(5).exponential(2.0, 4000, dtype=prism.float32).tolist()
        self.assertTrue(min(found) >= 0 and 1.84 < sum(found) / 4000 < 2.16, sum(found) / 4000) # 5 standard deviations are 0.16
        with self.assertRaisesRegex(ValueError, "scale is a number from 0"):
            prism.random.default_rng(5).exponential(-1.0)


unittest.main()
