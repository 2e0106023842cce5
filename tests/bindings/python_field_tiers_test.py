"""The quantum field by tiers, and its animation, in Python on each device and on all together: python_field_tiers_test.py PACKAGE_FOLDER."""
import itertools
import math
import pathlib
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop()).resolve()))
import prism
from prism import quantum_field as q


def wanted(width, height, name, time):
    """The formula in double precision."""
    def at(index, count):
        return -1 if count == 1 else (2 * index - (count - 1)) / (count - 1)

    def value(x, y):
        distance = math.hypot(x, y) * q.PHI
        return math.sin(distance * 0.01 * q.FREQUENCIES[name] + math.atan2(y, x) * q.PHI + time * q.PHI ** q.PHI) * math.exp(-distance / q.PHI)
    return [[value(at(i, width), at(j, height)) for i in range(width)] for j in range(height)]


class Fields(unittest.TestCase):
    def equal(self, field, width, height, name, time, what):
        self.assertEqual((field.shape, field.dtype), ((height, width), prism.float32))
        for row, right in zip(field.tolist(), wanted(width, height, name, time)):
            for value, expected in zip(row, right):
                self.assertAlmostEqual(value, expected, delta=3e-5, msg=what)


class Tiers(Fields):
    def test_every_tier_gives_the_field_for_every_size(self):
        for tier in (*q.TIERS, "auto"):
            for width, height, name, time in ((1, 1, "love", 0.0), (31, 20, "unity", 1.25), (33, 5, "ground", -2.0)):
                self.equal(q.generate_quantum_field(width, height, name, time, tier=tier), width, height, name, time, tier)

    def test_all_devices_together_give_the_field_whichever_is_the_first(self):
        devices = prism.devices()
        if len(devices) < 2:
            self.skipTest("there is one device only")
        size = 512 # fewer points are not worth a division
        right = wanted(size, size, "heart", 0.5)
        for first in range(len(devices)):
            order = [*devices[first:], *devices[:first]]
            field = q.generate_quantum_field(size, size, "heart", 0.5, tier="devices", devices=order)
            self.assertEqual(field.device, order[0])
            wrong = [j for j, (row, expected) in enumerate(zip(field.tolist(), right)) if max(abs(a - b) for a, b in zip(row, expected)) > 3e-5]
            self.assertEqual(wrong, [], f"rows of the field by {order}")

    def test_the_choice_is_the_fastest_of_four_measured_times_and_is_kept(self):
        found = q.choose_tier(24, 24)
        self.assertEqual(tuple(found.milliseconds), q.TIERS)
        self.assertTrue(all(each > 0 for each in found.milliseconds.values()))
        self.assertEqual(found.milliseconds[found.best], min(found.milliseconds.values()))
        before = dict(prism._field_tiers._chosen)
        q.generate_quantum_field(25, 30, "love", 0.0, tier="auto") # about the same size
        self.assertEqual(prism._field_tiers._chosen, before)

    def test_a_field_is_on_the_first_of_the_devices(self):
        for device in prism.devices():
            self.assertEqual(q.generate_quantum_field(8, 8, "love", 0.0, tier="device", devices=device).device, device)

    def test_wrong_arguments_are_named(self):
        for wrong, why in ((dict(tier="huge"), "no tier 'huge' of a field; there are basic, device, devices, groups, and \"auto\""),
                           (dict(devices="host"), "devices belong to a tier"), (dict(tier="basic", devices=[]), "at least one device")):
            with self.assertRaisesRegex(ValueError, why):
                q.generate_quantum_field(8, 8, "love", 0.0, **wrong)
        with self.assertRaisesRegex(ValueError, "the width of a field in points is a whole number from 1 to [0-9]+, not -3"):
            q.choose_tier(-3, 8)
        with self.assertRaisesRegex(prism.NotFoundError, "there is no device \"opencl:name=Imaginary\""):
            q.choose_tier(8, 8, devices="opencl:name=Imaginary")
        with self.assertRaisesRegex(ValueError, "time factor of a field, in seconds, is a finite number, not nan"):
            q.generate_quantum_field(8, 8, "love", math.nan, tier="basic")


class Animations(Fields):
    def test_frames_are_fields_at_times_one_step_apart(self):
        frames = list(itertools.islice(q.Animation(31, 20, "heart", 0.25), 3))
        for k, frame in enumerate(frames):
            self.assertEqual(frame.time, 0.25 * k)
            self.equal(frame.values, 31, 20, "heart", 0.25 * k, frame.time)
            self.assertAlmostEqual(frame.coherence, q.calculate_field_coherence(frame.values), 4)
            self.assertEqual((frame.colours.shape, frame.colours.dtype), ((20, 31, 3), prism.uint8))
            self.assertGreater(frame.milliseconds, 0)

    def test_colours_have_even_differences_and_are_lightest_in_the_middle(self):
        """The middle of a field of 3 x 3 points is sin(time * phi^phi), which takes each value between -1 and 1."""
        def lab(colour):
            """CIELAB of sRGB."""
            r, g, b = (x / 255 / 12.92 if x / 255 <= 0.04045 else ((x / 255 + 0.055) / 1.055) ** 2.4 for x in colour)
            x, y, z = ((t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116) for t in
                       ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089))
            return 116 * y - 16, 500 * (x - y), 200 * (y - z)
        colour_at = {frame.values.tolist()[1][1]: lab(frame.colours.tolist()[1][1]) for frame in itertools.islice(q.Animation(3, 3, "love", 0.005), 700)}
        nodes = []
        for wanted_value in (k / 4 for k in range(-4, 5)):
            nearest = min(colour_at, key=lambda value: abs(value - wanted_value))
            self.assertAlmostEqual(nearest, wanted_value, delta=0.01)
            nodes.append(colour_at[nearest])
        steps = [math.dist(one, next_one) for one, next_one in zip(nodes, nodes[1:])]
        for step in steps:
            self.assertAlmostEqual(step, sum(steps) / 8, delta=0.1 * sum(steps) / 8, msg=steps)
        lightness = [node[0] for node in nodes]
        self.assertEqual(lightness[:5], sorted(lightness[:5]))
        self.assertEqual(lightness[4:], sorted(lightness[4:], reverse=True))
        for blue, red in zip(lightness, reversed(lightness)):
            self.assertAlmostEqual(blue, red, delta=1)

    def test_colours_go_from_blue_through_grey_to_red(self):
        frame = next(q.Animation(64, 64))
        for value, (red, _, blue) in zip(sum(frame.values.tolist(), []), sum(frame.colours.tolist(), [])):
            if abs(value) > 0.1:
                self.assertEqual(red > blue, value > 0, value)

    def test_a_comparison_of_costs_begins_the_animation_again(self):
        animation = q.Animation(16, 16)
        first, _ = next(animation), next(animation)
        costs = animation.compare_submission(3)
        self.assertGreater(min(costs), 0)
        again = next(animation)
        self.assertEqual((again.time, again.values.tolist()), (first.time, first.values.tolist()))

    def test_a_file_has_the_frames_and_a_wrong_place_is_named(self):
        animation = q.Animation(16, 8)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "field.png")
            animation.save(file, 5, milliseconds=20)
            data = file.read_bytes()
            self.assertEqual((data[:8], data.count(b"fcTL"), data[16:24]), (b"\x89PNG\r\n\x1a\n", 5, bytes((0, 0, 0, 16, 0, 0, 0, 8))))
            with self.assertRaisesRegex(prism.Error, "cannot write .*/no/field.png"):
                animation.save(f"{folder}/no/field.png", 1)
        self.assertAlmostEqual(next(animation).time, 6 * animation.step)

    def test_two_animations_do_not_disturb_each_other(self):
        results = {}

        def run(name):
            results[name] = [frame.values.tolist() for frame in itertools.islice(q.Animation(20, 20, name, 0.5), 4)]
        threads = [threading.Thread(target=run, args=(name,)) for name in ("love", "unity")]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        for name, frames in results.items():
            for k, frame in enumerate(frames):
                for row, right in zip(frame, wanted(20, 20, name, 0.5 * k)):
                    for value, expected in zip(row, right):
                        self.assertAlmostEqual(value, expected, delta=3e-5)

    def test_wrong_arguments_are_named(self):
        for arguments, why in (((8, 8, "hate"), "no frequency 'hate'; there are ground, love"), ((8, 2.5), "height of a field in points is a whole number"),
                               ((True, 8), "width of a field in points is a whole number"), ((8, 8, "love", math.inf), "step of an animation, in seconds, is a finite number")):
            with self.assertRaisesRegex((TypeError, ValueError), why):
                q.Animation(*arguments)
        with self.assertRaisesRegex(ValueError, "the number of frames is a whole number from 1"):
            q.Animation(8, 8).save("x.png", 0)


unittest.main()
